import { lazy } from '../shell/lazy.js'
import { route } from '../shell/route.js'
import { RunScreen } from './run-screen.js'

const RunList = lazy(async () => (await import('../runs/run-list.js')).RunList)
const Compare = lazy(async () => (await import('../runs/compare-screen.js')).CompareScreen)
const Fork = lazy(async () => (await import('../runs/fork-screen.js')).ForkScreen)
const Wire = lazy(async () => (await import('../wire/wire-screen.js')).WireScreen)

/** The screens about runs: the list, one run, its requests as bytes, a fork, or two runs side by side. */
export function RunsPlace() {
  const [, id, part] = route.value.path
  if (id === undefined) return <RunList />
  if (id === 'compare') return <Compare />
  if (part === 'fork') return <Fork key={id} />
  return part === 'wire' ? <Wire /> : <RunScreen key={id} />
}

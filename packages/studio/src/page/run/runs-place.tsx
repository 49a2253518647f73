import { lazy } from '../shell/lazy.js'
import { route } from '../shell/route.js'
import { RunScreen } from './run-screen.js'

const RunList = lazy(async () => (await import('../runs/run-list.js')).RunList)
const Compare = lazy(async () => (await import('../runs/compare-screen.js')).CompareScreen)
const Fork = lazy(async () => (await import('../runs/fork-screen.js')).ForkScreen)
const Wire = lazy(async () => (await import('../wire/wire-screen.js')).WireScreen)

/** Chooses the screen for a URL under `/runs`: the list of runs, one run, its requests, a fork or a comparison. */
export function RunsPlace() {
  const [, id, part] = route.value.path
  if (id === undefined) return <RunList />
  if (id === 'compare') return <Compare />
  if (part === 'fork') return <Fork key={id} />
  return part === 'wire' ? <Wire /> : <RunScreen key={id} />
}

import { newestRuns } from '../api/state.js'
import { formatMoment } from '../model/format.js'
import { stateOfRun } from '../model/sentences.js'
import { StateWord } from '../parts/state-word.js'
import { lazy } from '../shell/lazy.js'
import { route, toAddress } from '../shell/route.js'
import { RunScreen } from './run-screen.js'

const Wire = lazy(async () => (await import('../wire/wire-screen.js')).WireScreen)

/** The place of runs: the list, one run, or the wire of one. */
export function RunsPlace() {
  const [, id, part] = route.value.path
  if (id === undefined) return <RunList />
  return part === 'wire' ? <Wire /> : <RunScreen key={id} />
}

function RunList() {
  if (newestRuns.value.length === 0) return <p class="empty">No runs yet.</p>
  return (
    <div class="screen-body">
      <h1>Runs</h1>
      <ul class="run-list">
        {newestRuns.value.map((run) => {
          const { word, status } = stateOfRun(run)
          return (
            <li key={run.id}>
              <a href={toAddress(['runs', run.id])}>{run.title || run.id}</a>{' '}
              <StateWord status={status} word={word} />{' '}
              <span class="soft">
                {run.agent} · {formatMoment(run.startedAt)}
              </span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

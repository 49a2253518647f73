import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import type { RunView } from '../api/run-view.js'
import { follow, loadRun, runs, viewOf } from '../api/state.js'
import { formatCost, formatCount, formatMoment, formatMs, plural } from '../model/format.js'
import { stateOfRun } from '../model/sentences.js'
import { StateWord } from '../parts/state-word.js'
import { addKeys } from '../shell/keys.js'
import { go, route, setQuery, toAddress } from '../shell/route.js'
import { keysOfRun, runActions } from './actions.js'
import { Detail } from './detail.js'
import { Filters, filterOf, Timeline } from './timeline.js'

/** Shows one run, with its timeline on the left and the selected row's details on the right. */
export function RunScreen() {
  const id = route.value.path[1] ?? ''
  const run = useRun(id)
  const view = viewOf(id)
  const { query } = route.value
  const selected = query['row']
  const filter = filterOf(query)
  useRunKeys(run)
  useEffect(() => {
    if (view.state.value === 'ready') performance.mark('studio:run-shown')
  }, [view, view.state.value])
  if (run === null) return <p class="empty">There is no run {id}. It may have been removed.</p>
  return (
    <>
      {run ? <Head run={run} view={view} /> : null}
      {view.state.value === 'failed' ? <p class="empty bad">{view.error.value}</p> : null}
      <div class="panes">
        <section class="pane" aria-label="Timeline of the run">
          <Filters view={view} filter={filter} />
          <Timeline
            view={view}
            filter={filter}
            selected={selected}
            onSelect={({ id: row }) => setQuery({ row })}
            onOpen={({ node }) => {
              if (node.kind === 'request') go(toAddress(['runs', id, 'wire', String(node.exchange)]))
              else document.querySelector<HTMLElement>('.detail [role=tabpanel]')?.focus()
            }}
          />
        </section>
        <section class="pane detail" aria-label="Details of the row">
          {run ? <Detail run={run} view={view} selected={selected} /> : null}
        </section>
      </div>
    </>
  )
}

/** Loads a run and follows it. Returns undefined while the run is loading, and `null` if it does not exist. */
function useRun(id: string): RunSummary | undefined | null {
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    setMissing(false)
    void loadRun(id).then((run) => setMissing(run === undefined))
    void follow(id).then(() =>
      viewOf(id)
        .loadExchanges()
        .catch(() => {}),
    )
  }, [id])
  return runs.value.get(id) ?? (isMissing ? null : undefined)
}

function useRunKeys(run: RunSummary | undefined | null): void {
  useLayoutEffect(
    () =>
      addKeys('Run', () => [
        { key: '/', does: 'find in the run', run: () => document.getElementById('find')?.focus() },
        ...['1', '2', '3', '4', '5'].map((key, index) => ({
          key,
          does: `open tab ${key} of the row`,
          run: () => document.querySelectorAll<HTMLElement>('.detail [role=tab]')[index]?.click(),
        })),
        {
          key: 'w',
          does: "open the row's request",
          run: () => document.querySelector<HTMLElement>('.to-wire')?.click(),
        },
        ...(run ? keysOfRun(run) : []),
      ]),
    [run],
  )
}

function Head({ run, view }: { readonly run: RunSummary; readonly view: RunView }) {
  const { word, status } = stateOfRun(run)
  const cost = formatCost(run.usage.cost)
  return (
    <header class="screen-head">
      <div class="title-row">
        <nav aria-label="Where">
          <a href="/runs">Runs</a> <span aria-hidden="true">›</span>
        </nav>
        <h1 title={run.title || run.id}>{run.title || run.id}</h1>
        <StateWord status={status} word={word} />
        <span class="facts">
          <span>{run.agent}</span>
          <span>{plural(run.steps, 'step')}</span>
          <span>{plural(run.toolCalls, 'call')}</span>
          <span>{formatMs(run.workedMs)}</span>
          <span>{formatCount(run.usage.totalTokens)} tokens</span>
          {cost ? <span>cost {cost}</span> : null}
          <span>{formatMoment(run.startedAt)}</span>
          {run.isLocalService ? <span class="badge">local planner</span> : null}
          {run.fork ? (
            <a href={toAddress(['runs', run.fork.run])} title={run.fork.change}>
              fork of {run.fork.run.slice(0, 8)}
            </a>
          ) : null}
        </span>
      </div>
      <div class="line">
        {run.kind === 'run' ? (
          <a class="button" href={toAddress(['chat', run.id])}>
            Chat
          </a>
        ) : null}
        {runActions.map((Action) => (
          <Action key={Action.name} run={run} view={view} />
        ))}
      </div>
    </header>
  )
}

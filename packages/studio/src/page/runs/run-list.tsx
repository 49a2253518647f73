// The list of runs, in which the user can find, filter, pin and remove runs, and choose two to compare.
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import { api } from '../api/client.js'
import { attempt, forgetRun, keepRuns, newestRuns, runs, tell } from '../api/state.js'
import { formatCount, formatMoment, formatMs } from '../model/format.js'
import { stateOfRun } from '../model/sentences.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { StateWord } from '../parts/state-word.js'
import { type Column, TreeGrid } from '../parts/treegrid.js'
import { addKeys } from '../shell/keys.js'
import { go, route, setQuery, toAddress } from '../shell/route.js'
import { isMarked, markToCompare, markWords } from './compare-mark.js'

const columns: readonly Column<RunSummary>[] = [
  {
    id: 'title',
    title: 'Run',
    cell: (run) => (
      <>
        {run.isPinned && <span title="pinned">★ </span>}
        {run.fork && (
          <span title={`a fork: ${run.fork.change}`}>
            <Icon name="fork" />
            <span class="visually-hidden">fork </span>
          </span>
        )}
        {run.title || run.id}
      </>
    ),
  },
  { id: 'state', title: 'State', cell: (run) => <StateWord {...stateOfRun(run)} /> },
  {
    id: 'agent',
    title: 'Agent',
    cell: (run) =>
      run.kind === 'run' ? run.agent : `${run.agent} (${run.kind === 'check' ? 'check' : 'call'})`,
  },
  { id: 'steps', title: 'Steps', cell: (run) => <span class="number">{run.steps}</span> },
  { id: 'calls', title: 'Calls', cell: (run) => run.toolCalls },
  { id: 'tokens', title: 'Tokens', cell: (run) => formatCount(run.usage.totalTokens) },
  { id: 'time', title: 'Time', cell: (run) => formatMs(run.workedMs) },
  { id: 'when', title: 'Started', cell: (run) => formatMoment(run.startedAt) },
]

export function RunList() {
  const list = useList()
  const asked = route.value.query['run']
  const selected = list.runs.find(({ id }) => id === asked) ?? list.runs[0]
  const [removing, setRemoving] = useState<RunSummary>()
  useLayoutEffect(
    () =>
      addKeys('Runs', () => [
        { key: '/', does: 'find', run: () => document.getElementById('run-find')?.focus() },
        ...(selected
          ? [
              { key: 'p', does: selected.isPinned ? 'unpin' : 'pin', run: () => void pin(selected) },
              {
                key: 'c',
                does: 'mark, or compare with the marked run',
                run: () => markToCompare(selected.id),
              },
            ]
          : []),
      ]),
    [selected],
  )
  return (
    <>
      <header class="screen-head">
        <h1>Runs</h1>
        <Filters />
        <span class="spacer" />
        {selected && <SelectedActions run={selected} onRemove={() => setRemoving(selected)} />}
      </header>
      {list.runs.length === 0 ? (
        <p class="empty">
          {list.isFiltered
            ? 'No run matches this filter.'
            : 'No runs yet. Send the agent a message, or call a tool.'}
        </p>
      ) : (
        <TreeGrid
          label="Runs"
          columns={columns}
          widths="minmax(9rem, 3fr) minmax(6rem, 1fr) minmax(6rem, 1fr) 3.5rem 3.5rem 5rem 5rem minmax(5.5rem, 8.5rem)"
          rows={list.runs}
          selected={selected?.id}
          onSelect={({ id }) => setQuery({ run: id })}
          onOpen={({ id }) => go(toAddress(['runs', id]))}
        />
      )}
      {list.more && (
        <p class="line list-more">
          <button type="button" onClick={list.more}>
            Show older runs
          </button>
        </p>
      )}
      {removing && <RemoveDialog run={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

interface FilterQuery {
  readonly text?: string | undefined
  readonly tool?: string | undefined
  readonly status?: string | undefined
}

/** Returns the runs that match the URL's filter, newest first. Without a filter, new runs appear when they start. */
function useList() {
  const { text, tool, status } = route.value.query
  const isFiltered = Boolean(text || tool || status)
  const [found, setFound] = useState<{ ids: readonly string[]; next?: string | undefined }>({ ids: [] })
  const [older, setOlder] = useState<string>()
  const known = newestRuns.value
  const size = runs.value.size
  useEffect(() => {
    if (!isFiltered) return
    let isCurrent = true
    void read({ text, tool, status }).then(
      (answer) =>
        isCurrent && answer && setFound({ ids: answer.runs.map(({ id }) => id), next: answer.next }),
    )
    return () => {
      isCurrent = false
    }
  }, [text, tool, status, size])
  const shown = useMemo(() => new Set(found.ids), [found])
  const next = isFiltered ? found.next : (older ?? (size >= 100 ? known.at(-1)?.id : undefined))
  const more = async () => {
    const answer = await read({ text, tool, status }, next)
    if (!answer) return
    if (isFiltered) setFound({ ids: [...found.ids, ...answer.runs.map(({ id }) => id)], next: answer.next })
    else setOlder(answer.next ?? '')
  }
  return {
    isFiltered,
    runs: isFiltered ? known.filter(({ id }) => shown.has(id)) : known,
    ...(next && { more }),
  }
}

async function read(filter: FilterQuery, before?: string) {
  const answer = await attempt(() =>
    api.runs({ ...filter, ...(before !== undefined && { before }), limit: 100 }),
  )
  if (answer) keepRuns(answer.runs)
  return answer
}

function Filters() {
  const { text = '', tool = '', status = '' } = route.value.query
  return (
    <search class="line">
      <label class="visually-hidden" for="run-find">
        Find runs by text
      </label>
      <input
        id="run-find"
        type="search"
        placeholder="Find /"
        value={text}
        onInput={(event) => setQuery({ text: event.currentTarget.value })}
      />
      <label class="visually-hidden" for="run-tool">
        Runs that called a tool
      </label>
      <input
        id="run-tool"
        type="search"
        placeholder="Tool"
        size={12}
        value={tool}
        onInput={(event) => setQuery({ tool: event.currentTarget.value })}
      />
      <label class="visually-hidden" for="run-status">
        State of the runs
      </label>
      <select
        id="run-status"
        value={status}
        onChange={(event) => setQuery({ status: event.currentTarget.value })}
      >
        <option value="">all states</option>
        <option value="running">running</option>
        <option value="pending">pending</option>
        <option value="ended">ended</option>
        <option value="failed">failed</option>
        <option value="lost">lost</option>
      </select>
    </search>
  )
}

function SelectedActions({ run, onRemove }: { readonly run: RunSummary; readonly onRemove: () => void }) {
  return (
    <div class="line" role="group" aria-label={`Actions for ${run.title || run.id}`}>
      <a class="button" href={toAddress(['runs', run.id])}>
        Open
      </a>
      <button type="button" aria-pressed={isMarked(run.id)} onClick={() => markToCompare(run.id)}>
        {markWords(run.id)}
      </button>
      <button type="button" aria-pressed={run.isPinned === true} onClick={() => pin(run)}>
        <Icon name="pin" />
        {run.isPinned ? 'Pinned' : 'Pin'}
      </button>
      <button type="button" disabled={run.status === 'running'} onClick={onRemove}>
        Remove
      </button>
    </div>
  )
}

async function pin(run: RunSummary): Promise<void> {
  const isPinned = !run.isPinned
  await attempt(async () => {
    await api.changeRun(run.id, { isPinned })
    keepRuns([{ ...run, isPinned }])
  })
}

function RemoveDialog({ run, onClose }: { readonly run: RunSummary; readonly onClose: () => void }) {
  const remove = async () => {
    await attempt(async () => {
      await api.removeRun(run.id)
      forgetRun(run.id)
      tell(`Removed "${run.title || run.id}".`)
    })
    onClose()
  }
  return (
    <Dialog title="Remove this run?" onClose={onClose}>
      <p>
        <b>{run.title || run.id}</b>, {formatMoment(run.startedAt)}. Artifacts that no other run uses are
        removed too.
      </p>
      <p class="line">
        <button type="button" class="main" onClick={remove}>
          Remove
        </button>
        <button type="button" onClick={onClose}>
          Keep
        </button>
      </p>
    </Dialog>
  )
}

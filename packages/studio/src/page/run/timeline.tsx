import { useComputed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { RunView } from '../api/run-view.js'
import { formatCost, formatCount, formatMs } from '../model/format.js'
import {
  barOf,
  describe,
  durationOf,
  type Filter,
  isProblem,
  type Row,
  rowsOf,
  tokensOf,
  toolsOf,
} from '../model/rows.js'
import { StateWord } from '../parts/state-word.js'
import { type Column, TreeGrid } from '../parts/treegrid.js'
import { setQuery } from '../shell/route.js'

interface TimelineProps {
  readonly view: RunView
  readonly selected: string | undefined
  readonly onSelect: (row: Row) => void
  readonly onOpen?: (row: Row) => void
  readonly filter?: Filter
  /** Whether to omit the time bars and tokens, to fit a narrow pane. */
  readonly isCompact?: boolean
}

/** Shows a run's rows, each with a bar that represents its time. */
export function Timeline({ view, selected, onSelect, onOpen, filter, isCompact = false }: TimelineProps) {
  const closed = useSignal<ReadonlySet<string>>(new Set())
  const shown = useSignal(filter)
  shown.value = filter
  const rows = useComputed(() => {
    view.revision.value
    return rowsOf(view.tree, closed.value, shown.value)
  })
  const end = view.tree.lastTime
  const columns = useMemo(() => (isCompact ? compactColumns : columnsOf(end)), [isCompact, end])
  return (
    <TreeGrid
      label="Timeline"
      columns={columns}
      widths={
        isCompact ? 'minmax(0, 1fr) 6rem 4rem' : 'minmax(11rem, 3fr) 5.5rem minmax(5rem, 2fr) 4.5rem 4.5rem'
      }
      rows={rows.value}
      selected={selected}
      onSelect={onSelect}
      {...(onOpen && { onOpen })}
      classOf={({ node }) => `row-${node.kind}${isProblem(node) ? ' is-problem' : ''}`}
      onToggle={(row, isOpen) => {
        const next = new Set(closed.value)
        if (isOpen) next.delete(row.id)
        else next.add(row.id)
        closed.value = next
      }}
    />
  )
}

function What({ row: { node } }: { readonly row: Row }) {
  const { title, detail } = describe(node)
  return (
    <>
      <b>{title}</b> <span class="soft">{detail}</span>
      {node.kind === 'call' && node.artifacts.length > 0 ? (
        <span class="soft"> ▣ {node.artifacts.length}</span>
      ) : null}
    </>
  )
}

const what: Column<Row> = { id: 'what', title: 'What', cell: (row) => <What row={row} /> }
const state: Column<Row> = {
  id: 'state',
  title: 'State',
  cell: ({ node }) => <StateWord status={node.status} />,
}
const duration: Column<Row> = {
  id: 'duration',
  title: 'Time',
  cell: ({ node }) => {
    const ms = durationOf(node)
    return ms === undefined ? null : formatMs(ms)
  },
}
const compactColumns = [what, state, duration]

function columnsOf(end: number): Column<Row>[] {
  const bar: Column<Row> = {
    id: 'bar',
    title: (
      <span class="scale">
        <span>0</span>
        <span>{formatMs(end)}</span>
      </span>
    ),
    cell: ({ node }) => {
      const { left, width } = barOf(node, end)
      return <span class={`bar bar-${node.kind}`} style={{ left: `${left}%`, width: `${width}%` }} />
    },
  }
  const tokens: Column<Row> = {
    id: 'tokens',
    title: 'Tokens',
    cell: ({ node }) => {
      const count = tokensOf(node)
      const cost = node.kind === 'step' ? node.cost : undefined
      return count === undefined ? null : (
        <span title={cost === undefined ? undefined : `cost ${formatCost(cost)}`}>{formatCount(count)}</span>
      )
    },
  }
  return [what, state, bar, duration, tokens]
}

/** Parses the filter in the URL's query. */
export function filterOf(query: Readonly<Record<string, string>>): Filter {
  const { show, tool, find } = query
  return {
    show: show === 'calls' || show === 'problems' ? show : 'all',
    ...(tool && { tool }),
    ...(find && { find }),
  }
}

/** Controls that set a timeline's filter: all rows, calls, problems, one tool, or rows that contain some text. */
export function Filters({ view, filter }: { readonly view: RunView; readonly filter: Filter }) {
  view.revision.value
  const tools = toolsOf(view.tree)
  return (
    <div class="pane-head" role="search" aria-label="Rows of the timeline">
      {(['all', 'calls', 'problems'] as const).map((show) => (
        <button
          key={show}
          type="button"
          aria-pressed={filter.show === show && filter.tool === undefined}
          onClick={() => setQuery({ show: show === 'all' ? undefined : show, tool: undefined })}
        >
          {show}
        </button>
      ))}
      {tools.length > 1 ? (
        <select
          aria-label="Calls to one tool"
          value={filter.tool ?? ''}
          onChange={(event) => setQuery({ tool: event.currentTarget.value, show: undefined })}
        >
          <option value="">all tools</option>
          {tools.map(({ name, count }) => (
            <option key={name} value={name}>
              {name} ({count})
            </option>
          ))}
        </select>
      ) : null}
      <span class="spacer" />
      <input
        id="find"
        type="search"
        aria-label="Find in the run"
        placeholder="Find  /"
        value={filter.find ?? ''}
        onInput={(event) => setQuery({ find: event.currentTarget.value })}
      />
    </div>
  )
}

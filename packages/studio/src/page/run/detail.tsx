import type { RunSummary } from '../../types.js'
import type { RunView } from '../api/run-view.js'
import { formatMs } from '../model/format.js'
import { describe, durationOf } from '../model/rows.js'
import type { RunNode } from '../model/run-nodes.js'
import { JsonView } from '../parts/json-view.js'
import { Pairs } from '../parts/pairs.js'
import { StateWord } from '../parts/state-word.js'
import { type Tab, Tabs } from '../parts/tabs.js'
import { route, setQuery, toAddress } from '../shell/route.js'
import { rowActions } from './actions.js'
import { callTabs } from './call-detail.js'
import { stepTabs } from './step-detail.js'

interface DetailProps {
  readonly run: RunSummary
  readonly view: RunView
  readonly selected: string | undefined
}

/** Shows the selected row's details in tabs. */
export function Detail({ run, view, selected }: DetailProps) {
  view.revision.value
  const node = selected === undefined ? undefined : view.tree.nodes.get(selected)
  if (!node) return <p class="empty">Select a row to see what happened in it.</p>
  const ms = durationOf(node)
  const { title, detail } = describe(node)
  const exchange = exchangeOf(node)
  return (
    <>
      <div class="pane-head">
        <h2>{title}</h2>
        <StateWord status={node.status} />
        {ms === undefined ? null : <span class="soft">{formatMs(ms)}</span>}
        {node.kind === 'step' || node.kind === 'call' ? null : <span class="soft">{detail}</span>}
        <span class="spacer" />
        {exchange === undefined ? null : (
          <a class="button to-wire" href={toAddress(['runs', run.id, 'wire', String(exchange)])}>
            Wire
          </a>
        )}
        {rowActions.map((Action) => (
          <Action key={Action.name} run={run} view={view} node={node} />
        ))}
      </div>
      <Tabs
        label="About the row"
        tabs={tabsOf(node, run, view)}
        open={route.value.query['tab']}
        onOpen={(tab) => setQuery({ tab })}
      />
    </>
  )
}

function tabsOf(node: RunNode, run: RunSummary, view: RunView): readonly Tab[] {
  switch (node.kind) {
    case 'step':
      return stepTabs(node, run, view)
    case 'call':
      return callTabs(node, view)
    case 'request':
      return [{ id: 'about', title: 'About', content: () => <RequestFacts node={node} view={view} /> }]
    default:
      return [
        { id: 'about', title: 'About', content: () => <p class="words plain-words">{node.text}</p> },
        { id: 'raw', title: 'Raw', content: () => <JsonView value={node.data} depth={3} run={run.id} /> },
      ]
  }
}

/** Returns the number of a row's exchange. For a call, this is the exchange in which the model made the call. */
function exchangeOf(node: RunNode): number | undefined {
  if (node.kind === 'request') return node.exchange
  const step = node.kind === 'step' ? node : node.parent
  const requests = step?.children.filter((child) => child.kind === 'request') ?? []
  return requests.at(-1)?.exchange
}

function RequestFacts({
  node,
  view,
}: {
  readonly node: RunNode & { kind: 'request' }
  readonly view: RunView
}) {
  view.revision.value
  const exchange = view.exchanges.value?.find(({ number }) => number === node.exchange)
  const since = (t: number | undefined) =>
    t === undefined ? '–' : `${formatMs(t - node.start)} after it was sent`
  return (
    <Pairs
      pairs={[
        ['URL', exchange?.url],
        ['status', exchange?.status],
        ['attempt', exchange?.attempt],
        ['headers', since(node.headersAt)],
        ['first byte', since(node.firstByteAt)],
        ['end', since(node.end)],
        ['notes', exchange?.notes.length],
        ['error', exchange?.error && `${exchange.error.code}: ${exchange.error.message}`],
      ]}
    />
  )
}

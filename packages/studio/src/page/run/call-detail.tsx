import type { RunView } from '../api/run-view.js'
import { formatCost, formatMs, oneLine, plural, spentWords } from '../model/format.js'
import { sourceOf, writtenSource } from '../model/rows.js'
import type { CallNode, ParentNode } from '../model/run-nodes.js'
import { isSame, parsed } from '../model/values.js'
import { JsonView } from '../parts/json-view.js'
import { Media } from '../parts/media.js'
import { Pairs } from '../parts/pairs.js'
import { Source } from '../parts/source.js'
import { StateWord } from '../parts/state-word.js'
import type { Tab } from '../parts/tabs.js'
import { toAddress } from '../shell/route.js'

export function callTabs(call: CallNode, view: RunView): Tab[] {
  return [
    { id: 'arguments', title: titleOf(call), content: () => <Arguments call={call} view={view} /> },
    {
      id: 'result',
      title: 'Result',
      count: call.artifacts.length,
      content: () => <Result call={call} view={view} />,
    },
    {
      id: 'console',
      title: 'Console',
      count: call.console.length,
      content: () => <Console call={call} view={view} />,
    },
    { id: 'raw', title: 'Raw', content: () => <JsonView value={rawOf(call)} depth={2} run={view.id} /> },
  ]
}

function titleOf(call: CallNode): string {
  return sourceOf(call) === undefined ? 'Arguments' : 'Program'
}

function Arguments({ call, view }: { readonly call: CallNode; readonly view: RunView }) {
  view.revision.value
  const written = parsed(call.argumentsText)
  const isChanged =
    call.argumentsText !== undefined && call.arguments !== undefined && !isSame(written, call.arguments)
  const source = sourceOf(call)
  return (
    <>
      {isChanged ? <h3>As the function received them</h3> : null}
      {writtenSource(call) === undefined ? (
        <JsonView value={call.arguments ?? written} run={view.id} />
      ) : null}
      {source === undefined ? null : <Source text={source} />}
      {call.isProgram ? <CallsInside call={call} view={view} /> : null}
      {isChanged ? (
        <>
          <h3>As the model wrote them</h3>
          <JsonView value={written} run={view.id} />
        </>
      ) : null}
      {call.repairs.length > 0 ? (
        <>
          <h3>Repaired</h3>
          <ul>
            {call.repairs.map((repair) => (
              <li key={repair}>{repair}</li>
            ))}
          </ul>
        </>
      ) : null}
      <Pairs
        pairs={[
          ['called by', <CalledBy key="by" by={call.parent} view={view} />],
          ['call id', <code key="id">{call.callId}</code>],
          ['agent', call.agent],
          ['waited', waitOf(call)],
          ['approval', call.pending?.reason],
          ['decision', call.decision ? decisionOf(call) : undefined],
        ]}
      />
    </>
  )
}

/**
 * Lists a program's calls in order, each with its arguments, state and result. For a pending call, also shows the
 * reason.
 */
function CallsInside({ call, view }: { readonly call: CallNode; readonly view: RunView }) {
  const calls = call.children.filter((child) => child.kind === 'call')
  if (calls.length === 0) return <p class="soft">The program has made no calls.</p>
  return (
    <>
      <h3>{plural(calls.length, 'call')}</h3>
      <ol class="console" aria-label="Calls of the program">
        {calls.map(({ id, name, arguments: given, argumentsText, status, content, pending }) => (
          <li key={id}>
            <a href={toAddress(['runs', view.id], { row: id })}>{name}</a>{' '}
            <code>{oneLine(given ?? argumentsText, 200)}</code> <StateWord status={status} />{' '}
            <span class="soft">{status === 'waiting' ? pending?.reason : oneLine(content, 200)}</span>
          </li>
        ))}
      </ol>
    </>
  )
}

function CalledBy({ by, view }: { readonly by: ParentNode | undefined; readonly view: RunView }) {
  if (!by || by.kind === 'root') return null
  const text = by.kind === 'step' ? by.text.slice(0, 200) : ''
  return (
    <>
      <a href={toAddress(['runs', view.id], { row: by.id })}>
        {by.kind === 'step' ? `step ${by.step}` : `the program ${by.name}`}
      </a>
      {text ? ` “${text}”` : ''}
    </>
  )
}

/** Returns how long a call waited for a free slot, a policy or a decision before its function started. */
function waitOf({ readyAt, startedAt }: CallNode): string | undefined {
  const ms = startedAt === undefined ? 0 : startedAt - readyAt
  return ms > 1 ? formatMs(ms) : undefined
}

function decisionOf({ decision }: CallNode): string {
  if (decision?.type === 'deny') return `denied: ${decision.reason}`
  if (decision?.type === 'result') return 'answered by you'
  return decision?.arguments ? 'approved with changed arguments' : 'approved'
}

function Result({ call, view }: { readonly call: CallNode; readonly view: RunView }) {
  view.revision.value
  const { content, modelReads, artifacts, errorId, progress } = call
  if (content === undefined && progress.length === 0 && artifacts.length === 0)
    return <p class="soft">{call.status === 'waiting' ? 'Waiting for your decision.' : 'No result yet.'}</p>
  const readsOther = modelReads !== undefined && !isSame(modelReads, content)
  return (
    <>
      {content === undefined ? null : <JsonView value={parsed(content)} run={view.id} depth={3} />}
      <p class="soft">
        {readsOther
          ? 'The model received something different:'
          : content === undefined
            ? ''
            : 'The model received the same.'}
      </p>
      {readsOther ? <JsonView value={parsed(modelReads)} run={view.id} /> : null}
      {artifacts.map((artifact) => (
        <Media key={artifact.id} artifact={artifact} />
      ))}
      {progress.length > 0 ? (
        <>
          <h3>Progress ({plural(progress.length, 'value')})</h3>
          <JsonView value={progress} depth={1} run={view.id} />
        </>
      ) : null}
      <Pairs
        pairs={[
          ['duration', call.ms === undefined ? undefined : formatMs(call.ms)],
          ['spent', call.spent ? spentWords(call.spent) : undefined],
          ['cost', formatCost(call.cost) || undefined],
          ['background', call.isBackground ? 'the function is still running' : undefined],
          ['error id', errorId],
        ]}
      />
    </>
  )
}

function Console({ call, view }: { readonly call: CallNode; readonly view: RunView }) {
  view.revision.value
  if (call.console.length === 0) return <p class="soft">The call printed nothing.</p>
  return (
    <ol class="console">
      {call.console.map(({ level, text, t }, index) => (
        <li key={`${index}:${t}`} class={level === 'error' ? 'bad' : level === 'warn' ? 'warn' : ''}>
          <span class="soft">
            {formatMs(t)} {level}
          </span>{' '}
          <code>{text}</code>
        </li>
      ))}
    </ol>
  )
}

/** Returns all data about a call except its parent and children, to show as JSON. */
function rawOf({ parent: _parent, children: _children, ...call }: CallNode): unknown {
  return call
}

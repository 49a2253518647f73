import type { RunView } from '../api/run-view.js'
import { formatCost, formatMs, plural, spentWords } from '../model/format.js'
import type { CallNode, StepNode } from '../model/run-nodes.js'
import { isSame, parsed } from '../model/values.js'
import { JsonView } from '../parts/json-view.js'
import { Media } from '../parts/media.js'
import { Pairs } from '../parts/pairs.js'
import type { Tab } from '../parts/tabs.js'
import { toAddress } from '../shell/route.js'

export function callTabs(call: CallNode, view: RunView): Tab[] {
  return [
    { id: 'arguments', title: 'Arguments', content: () => <Arguments call={call} view={view} /> },
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

function Arguments({ call, view }: { readonly call: CallNode; readonly view: RunView }) {
  view.revision.value
  const written = parsed(call.argumentsText)
  const isChanged =
    call.argumentsText !== undefined && call.arguments !== undefined && !isSame(written, call.arguments)
  const step = call.parent?.kind === 'step' ? call.parent : undefined
  return (
    <>
      {isChanged ? <h3>As the function got them</h3> : null}
      <JsonView value={call.arguments ?? written} run={view.id} />
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
          ['called by', step ? <CalledBy step={step} view={view} /> : undefined],
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

function CalledBy({ step, view }: { readonly step: StepNode; readonly view: RunView }) {
  return (
    <>
      <a href={toAddress(['runs', view.id], { row: step.id })}>step {step.step}</a>
      {step.text ? ` “${step.text.slice(0, 200)}”` : ''}
    </>
  )
}

/** Returns the time between the model's call and the start of the function: waiting for a slot, a policy or a decision. */
function waitOf({ readyAt, startedAt }: CallNode): string | undefined {
  const ms = startedAt === undefined ? 0 : startedAt - readyAt
  return ms > 1 ? formatMs(ms) : undefined
}

function decisionOf({ decision }: CallNode): string {
  if (decision?.type === 'deny') return `denied: ${decision.reason}`
  if (decision?.type === 'result') return 'answered by you'
  return decision?.arguments ? 'approved with other arguments' : 'approved'
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
          ? 'The model got something else:'
          : content === undefined
            ? ''
            : 'The model got the same.'}
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
          ['background', call.isBackground ? 'the function still runs' : undefined],
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

/** Returns a call as plain JSON, without its parent and child rows. */
function rawOf({ parent: _parent, children: _children, ...call }: CallNode): unknown {
  return call
}

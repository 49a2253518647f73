import { useEffect, useState } from 'preact/hooks'
import type { Exchange, RunSummary } from '../../types.js'
import { api, messageOf } from '../api/client.js'
import type { RunView } from '../api/run-view.js'
import { formatBytes, formatCost, formatCount, formatMs } from '../model/format.js'
import { writtenSource } from '../model/rows.js'
import type { CallNode, StepNode } from '../model/run-nodes.js'
import { parsed } from '../model/values.js'
import { JsonView } from '../parts/json-view.js'
import { MarkdownText } from '../parts/markdown-text.js'
import { Media } from '../parts/media.js'
import { Pairs } from '../parts/pairs.js'
import { Source } from '../parts/source.js'
import type { Tab } from '../parts/tabs.js'
import { toAddress } from '../shell/route.js'

export function stepTabs(step: StepNode, run: RunSummary, view: RunView): Tab[] {
  return [
    { id: 'answer', title: 'Answer', content: () => <Answer step={step} run={run} view={view} /> },
    { id: 'request', title: 'Request', content: () => <Request step={step} run={run} view={view} /> },
    { id: 'raw', title: 'Raw', content: () => <JsonView value={step.message} depth={3} run={run.id} /> },
  ]
}

interface StepProps {
  readonly step: StepNode
  readonly run: RunSummary
  readonly view: RunView
}

/** Returns the last exchange of a step, which contains the step's reply. Undefined until the exchanges are loaded. */
function exchangeOf(step: StepNode, view: RunView): Exchange | undefined {
  const numbers = step.children.flatMap((child) => (child.kind === 'request' ? [child.exchange] : []))
  return view.exchanges.value?.find(({ number }) => number === numbers.at(-1))
}

function Answer({ step, run, view }: StepProps) {
  view.revision.value
  const exchange = exchangeOf(step, view)
  useExchanges(view, step)
  return (
    <>
      {step.reasoning ? (
        <details class="reasoning">
          <summary>Reasoning</summary>
          <div class="words plain-words">{step.reasoning}</div>
        </details>
      ) : null}
      {step.text ? <MarkdownText text={step.text} isComplete={step.repliedAt !== undefined} /> : null}
      {step.children.map((child) =>
        child.kind === 'call' ? (
          <div key={child.id} class="written">
            <a href={toAddress(['runs', run.id], { row: child.id })}>{child.name}</a>
            <Written call={child} run={run} />
          </div>
        ) : null,
      )}
      {step.artifacts.map((artifact) => (
        <Media key={artifact.id} artifact={artifact} />
      ))}
      {step.omitted ? <p class="warn">Omitted from the message: {step.omitted.join(', ')}</p> : null}
      <Pairs pairs={factsOf(step, exchange)} />
    </>
  )
}

/** Shows a call as the model wrote it: a program's source code, or the arguments. */
function Written({ call, run }: { readonly call: CallNode; readonly run: RunSummary }) {
  const source = writtenSource(call)
  if (source !== undefined) return <Source text={source} />
  return <JsonView value={parsed(call.argumentsText ?? call.arguments)} depth={1} run={run.id} />
}

function factsOf(step: StepNode, exchange: Exchange | undefined): (readonly [string, string | undefined])[] {
  const { sentAt = 0, firstByteAt, firstTokenAt, endedAt, reply } = exchange ?? {}
  const after = (t: number | undefined) => (exchange && t !== undefined ? formatMs(t - sentAt) : undefined)
  const output = reply?.tokens?.outputTokens
  const seconds = endedAt !== undefined && firstTokenAt !== undefined ? (endedAt - firstTokenAt) / 1000 : 0
  return [
    ['tokens', step.tokens === undefined ? undefined : formatCount(step.tokens)],
    ['cost', formatCost(step.cost)],
    ['first byte', after(firstByteAt)],
    ['first token', after(firstTokenAt)],
    ['speed', output && seconds > 0 ? `${Math.round(output / seconds)} tokens per second` : undefined],
    ['replayed', step.replayed.join(', ') || undefined],
  ]
}

/**
 * Loads the run's exchanges when one of the step's requests has ended, unless the step's exchange is already loaded.
 */
function useExchanges(view: RunView, step: StepNode): void {
  const isKnown = exchangeOf(step, view) !== undefined
  const hasEnded = step.children.some((child) => child.kind === 'request' && child.end !== undefined)
  useEffect(() => {
    if (!isKnown && hasEnded) void view.loadExchanges().catch(() => {})
  }, [view, isKnown, hasEnded])
}

function Request({ step, run, view }: StepProps) {
  view.revision.value
  const exchange = exchangeOf(step, view)
  useExchanges(view, step)
  const [body, setBody] = useState<{ readonly value: unknown; readonly bytes: number } | string>()
  const number = exchange?.number
  useEffect(() => {
    if (number === undefined) return
    api.bytes(run.id, number, 'request').then(
      (bytes) => setBody({ value: parsed(new TextDecoder().decode(bytes)), bytes: bytes.length }),
      (error) => setBody(messageOf(error)),
    )
  }, [run.id, number])
  if (number === undefined) return <p class="soft">This step's request is not on disk.</p>
  if (typeof body === 'string') return <p class="bad">{body}</p>
  if (!body) return <p class="soft">Loading …</p>
  const { messages, tools, ...settings } = Object(body.value)
  return (
    <>
      <Pairs
        pairs={[
          ['size', formatBytes(body.bytes)],
          ['messages', Array.isArray(messages) ? messages.length : undefined],
          ['tools', Array.isArray(tools) ? tools.length : undefined],
        ]}
      />
      <h3>Settings</h3>
      <JsonView value={settings} depth={2} run={run.id} />
      {messages === undefined ? null : <h3>Messages</h3>}
      {messages === undefined ? null : <JsonView value={messages} depth={1} run={run.id} />}
      {tools === undefined ? null : <h3>Tools</h3>}
      {tools === undefined ? null : <JsonView value={tools} depth={0} run={run.id} />}
    </>
  )
}

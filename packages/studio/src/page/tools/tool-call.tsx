// Calls one tool from the page, and shows the call's result.
import { useEffect, useState } from 'preact/hooks'
import type { ToolInfo } from '../../types.js'
import { api } from '../api/client.js'
import { attempt, follow, studio, viewOf } from '../api/state.js'
import { formatBytes, formatMs } from '../model/format.js'
import { type CallNode, isCut } from '../model/run-nodes.js'
import type { SchemaForm } from '../parts/form/schema-form.js'
import { JsonView } from '../parts/json-view.js'
import { Media } from '../parts/media.js'
import { agentName } from '../shell/agent-name.js'

export function nameOf({ definition }: Pick<ToolInfo, 'definition'>): string {
  return definition.function.name
}

/** The most recent call to a tool from this page. */
export interface ToolCall {
  readonly run: string | undefined
  readonly node: CallNode | undefined
  readonly isRunning: boolean
  /** Whether the call is still being sent to the studio. Until it has been sent, it cannot be stopped. */
  readonly isStarting: boolean
  /** The message that a model would receive about invalid arguments. Undefined if the arguments were valid. */
  readonly rejection: string | undefined
  /** Why the run ended before making the call. Undefined if it did not. */
  readonly failure: string | undefined
  readonly start: (json: string) => Promise<void>
  readonly stop: () => void
}

const lastCalls = new Map<string, string>()

export function useToolCall(tool: string): ToolCall {
  const [run, setRun] = useState(lastCalls.get(tool))
  const [isStarting, setStarting] = useState(false)
  useEffect(() => {
    if (run) void follow(run)
  }, [run])
  const view = run === undefined ? undefined : viewOf(run)
  // Reading the revision makes the component render again for each new entry.
  void view?.revision.value
  const nodes = [...(view?.tree.nodes.values() ?? [])]
  const node = nodes.find((one): one is CallNode => one.kind === 'call')
  const end = nodes.find((one) => one.kind === 'end')
  const content = typeof node?.content === 'string' ? node.content : undefined
  const failed = end && !node ? `${end.stopReason}: ${end.text}` : undefined
  return {
    run,
    node,
    isRunning: isStarting || (run !== undefined && !end),
    isStarting,
    rejection: node?.status === 'rejected' ? content : undefined,
    failure: failed,
    start: async (json) => {
      setStarting(true)
      const agent = agentName()
      const body = { arguments: json === '' ? {} : JSON.parse(json), ...(agent && { agent }) }
      const started = await attempt(() => api.callTool(tool, body))
      setStarting(false)
      if (!started) return
      lastCalls.set(tool, started.id)
      setRun(started.id)
    },
    stop: () => {
      if (run) void attempt(() => api.stop(run))
    },
  }
}

interface CallBarProps {
  readonly tool: ToolInfo
  readonly form: SchemaForm
  readonly call: ToolCall
  readonly isBroken?: boolean
}

/** Shows a button that makes the call, and the terminal command for the same call. */
export function CallBar({ tool, form, call, isBroken = false }: CallBarProps) {
  const [hasCopied, setCopied] = useState(false)
  const { effects, needsApproval } = tool.settings
  const isApproval = effects !== 'read' || needsApproval !== false
  const json = form.json.value
  const command = `capstan tool ${studio.value?.file ?? 'agent.ts'} ${nameOf(tool)} '${json.replaceAll("'", `'\\''`)}'`
  const canCall = tool.hasFunction && !isBroken && form.problems.value.length === 0
  return (
    <div class="call-bar">
      <p class="line">
        <button
          type="button"
          class="main"
          disabled={!canCall || call.isRunning}
          onClick={() => call.start(json)}
        >
          {isApproval ? 'Approve and call it' : 'Call it'}
        </button>
        {call.isRunning && (
          <button type="button" disabled={call.isStarting} onClick={call.stop}>
            Stop
          </button>
        )}
        {!tool.hasFunction && (
          <span class="soft">This tool has no function: a user or a program provides its result.</span>
        )}
        {tool.hasFunction && isApproval && (
          <span class="hint">
            This tool {effects === 'read' ? 'needs approval' : 'can change data'}. Calling it here approves
            the call.
          </span>
        )}
      </p>
      <details class="as-command">
        <summary>as a command</summary>
        <pre class="code">{command}</pre>
        <button
          type="button"
          class="small"
          onClick={() =>
            navigator.clipboard.writeText(command).then(
              () => setCopied(true),
              () => {},
            )
          }
        >
          {hasCopied ? 'Copied' : 'Copy'}
        </button>
      </details>
    </div>
  )
}

const words: Readonly<Record<string, string>> = {
  ok: '✓ ok',
  error: '✗ error',
  rejected: '✗ invalid arguments',
  denied: '✗ denied',
  cut_off: '✗ cut off',
  not_run: '– not run',
  running: '… running',
  waiting: '! pending',
}

/** Shows a call's result, console output and artifacts. Renders nothing until a call has been made. */
export function CallResult({ call }: { readonly call: ToolCall }) {
  const { node, run } = call
  if (!run) return null
  return (
    <section class="card call-result" aria-label="Result" aria-busy={call.isRunning}>
      <p class="line">
        <span role="status" class={`state state-${node?.status ?? 'running'}`}>
          {node ? (words[node.status] ?? node.status) : call.failure ? '✗ failed' : '… running'}
        </span>
        {node?.ms !== undefined && <span class="soft">{formatMs(node.ms)}</span>}
        <span class="spacer" />
        <a href={`/runs/${run}`}>Open its timeline</a>
      </p>
      {call.failure && <p class="bad">{call.failure}</p>}
      {node && <Content node={node} run={run} />}
      {node?.progress.map((value, at) => (
        <JsonView key={at} name={`progress ${at + 1}`} value={value} run={run} />
      ))}
      {node?.artifacts.map((artifact) => (
        <Media key={artifact.id} artifact={artifact} />
      ))}
      {node && node.console.length > 0 && (
        <>
          <h3>Console</h3>
          <pre class="code">
            {node.console.map(({ level, text }, at) => (
              <span key={at} class={level === 'error' ? 'bad' : level === 'warn' ? 'warn' : ''}>
                {text}
                {'\n'}
              </span>
            ))}
          </pre>
        </>
      )}
    </section>
  )
}

function Content({ node, run }: { readonly node: CallNode; readonly run: string }) {
  const { content, modelReads } = node
  if (content === undefined) return null
  if (isCut(content)) return <JsonView value={content} run={run} />
  const isShortened = typeof modelReads === 'string' && modelReads !== content
  return (
    <>
      <Value text={content} run={run} />
      <p class="hint">
        {isShortened
          ? 'The model receives a shortened text:'
          : `The model receives the same, ${formatBytes(new TextEncoder().encode(content).length)}.`}
      </p>
      {isShortened && <pre class="code">{modelReads}</pre>}
    </>
  )
}

function Value({ text, run }: { readonly text: string; readonly run: string }) {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return <JsonView value={value} run={run} depth={3} />
  } catch {
    // The result is not JSON.
  }
  return <pre class="code">{text}</pre>
}

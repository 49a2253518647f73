import { artifactReader, attachedSource, markOf } from '../artifacts/artifact.js'
import { invalidOption } from '../errors.js'
import { isString } from '../json.js'
import { checkOptionNames } from '../option-names.js'
import type { Feature } from '../run/feature.js'
import type { Middleware, RunView, StepEffects } from '../run/middleware.js'
import { argumentsOf } from '../tools/parse-arguments.js'
import { ask } from '../tools/policies.js'
import type { RunningCall } from '../tools/tool.js'
import { callsOf, mediaOf, type ToolCall } from '../types/message.js'
import type { CallRecord, CallResult } from '../types/state.js'

export interface TaintOptions {
  /**
   * Whether tools that can change data need approval once the model has read untrusted text. With `false`, the source
   * is only recorded, but a parent run may still require approval. Default true.
   */
  readonly ask?: boolean
}

/**
 * Records the first untrusted source that the model reads, and then requires approval for calls that can change data.
 * On by default.
 * @throws CapstanError `invalid_request` for an unknown option
 */
export function taintTracking(options: TaintOptions = {}): Feature {
  const kinds = { ask: 'true or false' } as const
  checkOptionNames(options, kinds, { of: 'taintTracking' })
  const { ask: asks = true } = options
  const middleware: Middleware = {
    name,
    ...(asks && { beforeTool: askWhenTainted }),
    afterTool: markSource,
    afterCall: tainting,
    async beforeRun(run) {
      const taintedBy = await taintOfHistory(run)
      return taintedBy === undefined ? undefined : { taintedBy }
    },
  }
  return {
    ...middleware,
    runOptions: { taintedBy: true },
    toolSettings: ['untrusted'],
    forAgent({ middleware: own = [] }: { readonly middleware?: readonly Middleware[] }) {
      // The recorded source also affects parent runs, and agents that take over.
      if (own.some((one) => one.name === name && one.afterTool !== markSource)) {
        const message = `"${name}" cannot be turned off. Use taintTracking({ ask: false }).`
        throw invalidOption('middleware', message)
      }
      return middleware
    },
  }
}

const name = 'taint-tracking'

const askWhenTainted: NonNullable<Middleware['beforeTool']> = ({ name, readsOnly }, { taintedBy }) => {
  if (taintedBy === undefined || readsOnly) return undefined
  return ask(`The run has read untrusted content from "${taintedBy}", and "${name}" can change data.`)
}

/** If a result contains or shows an artifact, marks the result with the artifact's untrusted source. */
function markSource(
  result: CallResult,
  { tool, arguments: args }: RunningCall,
  run: RunView,
): CallResult | Promise<CallResult> {
  if (result.status !== 'ok') return result
  if (!tool.reads) {
    const shown = (tool.settings.show && result.artifacts) || []
    const [by] = shown.flatMap((one) => markOf(one) ?? [])
    return by === undefined ? result : { taintedBy: by, ...result }
  }
  return untrustedSourceOf(tool.reads(args), run).then((taintedBy) =>
    taintedBy === undefined ? result : { ...result, taintedBy },
  )
}

/**
 * Taints the run if a call's result names an untrusted source, or is text from an untrusted tool, including an error.
 */
function tainting({ name, status, taintedBy: by }: CallRecord, run: RunView): StepEffects | undefined {
  const hasText = status === 'ok' || status === 'error'
  const isUntrusted = hasText && run.toolset.get(name)?.settings.untrusted
  const taintedBy = by ?? (isUntrusted ? name : undefined)
  return taintedBy === undefined ? undefined : { taintedBy }
}

/**
 * Returns the first untrusted source in the conversation that a run starts with, because the model reads that text
 * again. Undefined if there is no source, or if the run is resumed, because its state contains the source.
 */
async function taintOfHistory(run: RunView): Promise<string | undefined> {
  const { messages, usage, artifacts, options } = run
  const { taintedBy: given } = options
  if (run.taintedBy !== undefined) return undefined
  if (isString(given)) return given
  if (usage.requests + usage.toolCalls > 0) return undefined
  const marked = messages.find(({ taintedBy }) => isString(taintedBy))
  if (marked) return marked.taintedBy
  const files = messages.filter(({ role }) => role !== 'assistant').flatMap(mediaOf)
  for (const { artifact: id, untrusted } of files) {
    const known = id && (await artifacts.stat(id).catch(() => undefined))
    const by = known && markOf(known)
    if (by || untrusted) return by || id || attachedSource
  }
  const answered = new Set(messages.map((message) => message.role === 'tool' && message.tool_call_id))
  const calls = messages.flatMap(callsOf).filter(({ id }) => answered.has(id))
  for (const call of calls) {
    const source = await sourceOf(call, run)
    if (source !== undefined && (given !== false || run.trustOf(source) === 'untrusted')) return source
  }
  return undefined
}

function sourceOf(call: ToolCall, run: RunView) {
  const { name } = call.function
  if (name === artifactReader) {
    const parsed = argumentsOf(call)
    return untrustedSourceOf(parsed.ok && parsed.value.artifact, run)
  }
  return run.trustOf(name) === 'trusted' ? undefined : name
}

/**
 * Returns the untrusted source of an artifact's text: its mark, the tool that created it, or `read_artifact` if its
 * origin is unknown. Undefined for text from a trusted tool and for user attachments.
 */
async function untrustedSourceOf(id: unknown, run: RunView): Promise<string | undefined> {
  if (!isString(id)) return artifactReader
  const known = await run.artifacts.stat(id).catch(() => undefined)
  const mark = known && markOf(known)
  if (mark !== undefined) return mark
  const maker = known?.origin?.tool
  if (maker !== undefined) return run.trustOf(maker) === 'trusted' ? undefined : maker
  const isAttached = run.messages.some(
    (message) => message.role === 'user' && mediaOf(message).some(({ artifact }) => artifact === id),
  )
  return isAttached ? undefined : artifactReader
}

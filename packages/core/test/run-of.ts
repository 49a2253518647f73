import { memoryArtifacts } from '../src/artifacts/memory-artifacts.js'
import { longResults } from '../src/features/context/long-results.js'
import { createKeyScheduler } from '../src/features/effect-keys.js'
import { finalAnswer } from '../src/features/final-answer.js'
import { resume } from '../src/features/resume/resume.js'
import { stuckDetection } from '../src/features/stuck-detection.js'
import { taintTracking } from '../src/features/taint-tracking.js'
import { lastOfEach } from '../src/json.js'
import { Hooks } from '../src/run/hooks.js'
import { memoryHost } from '../src/run/memory-host.js'
import type { Middleware } from '../src/run/middleware.js'
import { type AgentSettings, type ContextParts, RunContext } from '../src/run/run-context.js'
import type { Tool } from '../src/tools/tool.js'
import { toToolset } from '../src/tools/tool.js'
import type { Message, ToolCall } from '../src/types/message.js'
import type { CallRecord, RunState } from '../src/types/state.js'
import { copyOfUsage, noUsage } from '../src/usage.js'
import { wireCall } from './chunks.js'

/** Changes to a run in tests. */
export interface RunChanges {
  readonly settings?: Partial<AgentSettings>
  readonly parts?: Partial<ContextParts>
  /** Replace the defaults of the same name. */
  readonly middleware?: readonly Middleware[]
  readonly toolCalls?: readonly CallRecord[]
}

/** A run of these tools with the default middlewares. Its model may not be asked. */
export function runOf(
  tools: readonly Tool[],
  state: RunState = stateOf([]),
  { settings = {}, parts = {}, middleware = [], toolCalls = [] }: RunChanges = {},
): RunContext {
  const toolset = settings.toolset ?? toToolset(tools)
  const ofAgent: AgentSettings = {
    model: { name: 'm', complete: () => Promise.reject(new Error('The model may not be asked.')) },
    modelOf: (own) => own,
    instructions: undefined,
    toolset,
    toolChoice: 'auto',
    fields: {},
    scheduler: createKeyScheduler(8),
    prices: undefined,
    stepTimeoutMs: undefined,
    toolErrors: { shown: 'all' },
    repair: undefined,
    tools,
    hooks: new Hooks(
      lastOfEach<Middleware>(
        [resume(), longResults(), taintTracking(), stuckDetection(), ...middleware, finalAnswer()],
        'name',
      ),
    ),
    ...settings,
  }
  const { signal } = new AbortController()
  const binding = {
    agents: new Map(),
    context: undefined,
    signal,
    emit: undefined,
    artifacts: memoryArtifacts(),
  }
  const run = new RunContext(state, 0, {
    ...binding,
    host: memoryHost({ runId: 'run-1', ...binding }),
    hasOutput: false,
    options: {},
    runCall: () => Promise.reject(new Error('No call may run.')),
    toolset,
    trustOf: (name) => (toolset.get(name)?.settings.untrusted ? 'untrusted' : 'trusted'),
    settingsOf: () => ofAgent,
    ...parts,
  })
  run.toolCalls.push(...toolCalls)
  return run
}

/** A state in its first step, whose reply made these calls. */
export function stateOf(calls: readonly ToolCall[], changes: Partial<RunState> = {}): RunState {
  const asked: Message = { role: 'assistant', content: null, tool_calls: calls }
  return {
    schema: 1,
    runId: 'run-1',
    agent: 'agent',
    definitionHash: 'h',
    stepCount: 1,
    messages: [{ role: 'user', content: 'Go.' }, ...(calls.length > 0 ? [asked] : [])],
    results: {},
    pending: [],
    usage: copyOfUsage(noUsage),
    limits: {},
    flags: {},
    kept: {},
    ...changes,
  }
}

/** Calls of these tools, with ids `call_0`, `call_1` and so on. */
export const callsTo = (...names: readonly string[]): ToolCall[] =>
  names.map((name, index) => wireCall(`call_${index}`, name, '{}'))

import { expect } from 'vitest'
import { memoryArtifacts } from '../src/artifacts/memory-artifacts.js'
import { memoryHost } from '../src/run/memory-host.js'
import type { RunContext, RunSettings } from '../src/run/run-context.js'
import { createCallScheduler } from '../src/tools/concurrency.js'
import { type Tool, toToolset } from '../src/tools/tool.js'
import type { Message, ToolCall } from '../src/types/message.js'
import type { RunState } from '../src/types/state.js'
import { noUsage } from '../src/usage.js'
import { wireCall } from './chunks.js'

/** What a run of these tools is made of, its model one that nobody may ask. */
export function planOf(tools: readonly Tool[], changes: Partial<RunSettings> = {}): RunSettings {
  const { signal } = new AbortController()
  return {
    agent: 'agent',
    model: { name: 'm', complete: () => Promise.reject(new Error('nobody is to be asked')) },
    modelOf: (own) => own,
    instructions: undefined,
    toolset: toToolset(tools),
    toolChoice: 'auto',
    settings: {},
    prepareStep: undefined,
    context: undefined,
    artifacts: memoryArtifacts(),
    slots: createCallScheduler(8),
    guards: { policies: [], taint: true },
    prices: undefined,
    stopWhen: undefined,
    stuck: {},
    landing: true,
    output: undefined,
    compact: undefined,
    show: {},
    inbox: undefined,
    stepTimeoutMs: undefined,
    toolErrors: { shown: 'all' },
    repair: undefined,
    stream: false,
    signal,
    host: memoryHost({
      runId: 'run-1',
      agents: new Map(),
      context: undefined,
      signal,
      emit: undefined,
      artifacts: memoryArtifacts(),
    }),
    trustOf: (name) => (toToolset(tools).get(name)?.settings.untrusted ? 'untrusted' : 'trusted'),
    agents: new Map(),
    of: () => expect.unreachable('there is one agent'),
    emit: undefined,
    ...changes,
  }
}

/** A state in its first turn, which made these calls. */
export function stateOf(calls: readonly ToolCall[], changes: Partial<RunState> = {}): RunState {
  const asked: Message = { role: 'assistant', content: null, tool_calls: calls }
  return {
    schema: 1,
    runId: 'run-1',
    agent: 'agent',
    definitionHash: 'h',
    turn: 1,
    messages: [{ role: 'user', content: 'Go.' }, ...(calls.length > 0 ? [asked] : [])],
    answered: {},
    pending: [],
    usage: noUsage,
    limits: {},
    flags: {},
    ...changes,
  }
}

export const walkOf = (state: RunState, changes: Partial<RunContext> = {}): RunContext => ({
  state,
  records: [],
  callIds: new Set(),
  firstTurn: 0,
  task: 0,
  clock: { before: 0 },
  ...changes,
})

/** Calls of these tools, with ids `call_0`, `call_1` and so on. */
export const callsTo = (...names: readonly string[]): ToolCall[] =>
  names.map((name, index) => wireCall(`call_${index}`, name, '{}'))

import {
  Agent,
  type AgentOptions,
  type AnyAgent,
  type AnyTool,
  CapstanError,
  jsonSchema,
  readArtifact,
  safeRepair,
  type ToolDefinition,
  taintTracking,
  tool,
  without,
} from '@capstan/core'
import { outputToolName, readStepKey, stepKey } from '@capstan/core/internal'
import { isChildKey, isSameJson, isTopLevelKey, requestChain } from './format.js'
import type { RunRecording } from './read.js'

/**
 * Builds an agent from the requests in a recorded run, with the same name, instructions and tools. By default, the
 * tools' functions must not be called. Other options, such as `stopWhen`, are not recorded.
 * @throws CapstanError `unsupported` for a run that such an agent cannot repeat
 */
export function agentOfRecording(run: RunRecording, toTool = toReplayedTool): AnyAgent {
  const own = run.exchanges.filter(({ at }) => requestChain(at) === '')
  const why = unrepeatableReason(run)
  if (why !== undefined) {
    const message = `Run ${run.number} cannot be repeated from the recording alone: ${why}. Pass its agent, as in replayRun(file, { agent }).`
    throw new CapstanError('unsupported', message, { evidence: { run: run.number } })
  }
  const [first] = own
  const hasFinalAnswer = run.exchanges.some(({ at }) => readStepKey(at)?.kind === 'final')
  const isForced = first !== undefined && first.toolChoice !== 'auto'
  return new Agent({
    name: run.begin?.agent ?? 'agent',
    model: {
      name: first?.model ?? 'replay',
      complete: () => Promise.reject(new Error('This model only has recorded replies.')),
    },
    tools: toolDefinitions(run).map(toTool),
    // A recording does not state which tools are untrusted, but it contains the calls that became pending because of
    // them.
    middleware: [taintTracking({ ask: false }), ...(hasFinalAnswer ? [] : [without('final-answer')])],
    ...(run.events.some(({ event }) => event.type === 'repair-applied') ? { repair: safeRepair } : {}),
    ...(first?.system === undefined || isConversationMessage(first.system, run)
      ? {}
      : { instructions: first.system }),
    ...(isForced ? { toolChoice: first.toolChoice } : {}),
    ...offeredBySteps(own),
    ...(first ? { settings: first.settings } : {}),
  })
}

/**
 * Returns a `prepareStep` that offers the tools that were recorded for each step. Empty if all requests offered the
 * same tools.
 */
function offeredBySteps(
  own: RunRecording['exchanges'],
): Pick<AgentOptions<readonly AnyTool[]>, 'prepareStep'> {
  const byStep = new Map(own.map(({ at, tools }) => [readStepKey(at)?.step, tools.map(nameOf)]))
  const isSame = new Set([...byStep.values()].map((names) => names.join())).size < 2
  return isSame ? {} : { prepareStep: ({ step }) => ({ tools: byStep.get(step) ?? [] }) }
}

function nameOf({ function: { name } }: ToolDefinition): string {
  return name
}

/** Whether a system message comes from the conversation instead of the agent's instructions. */
function isConversationMessage(system: string, { begin, exchanges: [first] }: RunRecording): boolean {
  const [opening] = begin?.state?.messages ?? begin?.messages ?? []
  // If the agent had instructions, this message would be the second one.
  return opening?.role === 'system' && opening.content === system && !isSameJson(first?.messages[0], opening)
}

function unrepeatableReason({ exchanges, events, outcomes }: RunRecording): string | undefined {
  const own = exchanges.filter(({ at }) => requestChain(at) === '')
  const names = exchanges.flatMap(({ tools }) => tools.map(nameOf))
  if (names.includes(outputToolName)) return 'it has structured output'
  if (outcomes.some(({ outcome }) => outcome.came.status === 'paused')) return 'a child agent is pending'
  const offered = new Map(own.map(({ at, tools }) => [readStepKey(at)?.step, tools.map(nameOf)]))
  const ofHidden = outcomes.find(({ at, outcome: { name, came } }) => {
    // A child run's outcome names the agent instead of the tool.
    const names = isTopLevelKey(at) && !isChildKey(at) ? offered.get(readStepKey(at)?.step) : undefined
    return came.status !== 'rejected' && names && !names.includes(name)
  })
  if (ofHidden) return `its requests do not offer "${ofHidden.outcome.name}", which it has called`
  const odd = events.find(({ event: { type } }) => type === 'handed-off' || type === 'context-trimmed')
  if (odd) return odd.event.type === 'handed-off' ? 'it was handed off' : 'its history was shortened'
  return undefined
}

/** Returns the definitions of all tools that the run itself offered, in any of its steps. */
function toolDefinitions({ exchanges, outcomes }: RunRecording): readonly ToolDefinition[] {
  const own = exchanges.filter(({ at }) => requestChain(at) === '')
  const isShortened = outcomes.some(({ outcome: { came } }) => 'whole' in came)
  const all = own.flatMap(({ tools }) => tools)
  // A run adds this tool itself after it has shortened a result.
  const given = isShortened ? all.filter((one) => one.function.name !== readArtifact.name) : all
  return [...new Map(given.map((one) => [one.function.name, one])).values()]
}

function toReplayedTool({ function: { name, description, parameters, strict } }: ToolDefinition): AnyTool {
  return tool({
    name,
    description: description ?? name,
    parameters: jsonSchema(parameters),
    ...(strict ? { strict } : {}),
    execute: () => {
      throw new Error('This tool only has recorded results.')
    },
  })
}

/** Returns a tool without a function. The run's caller must provide the tool's results. */
export function toToolOfCaller({
  function: { name, description, parameters, strict },
}: ToolDefinition): AnyTool {
  return tool({
    name,
    description: description ?? name,
    parameters: jsonSchema(parameters),
    ...(strict ? { strict } : {}),
  })
}

/**
 * Returns the run as if its child agents were tools: each child agent's result becomes the result of the call that
 * started it.
 */
export function withAgentResults(run: RunRecording): RunRecording {
  const answers = new Map(run.outcomes.map((one) => [one.at, one]))
  const calls = run.outcomes.filter(({ at }) => !isChildKey(at))
  const outcomes = calls.map((one) => {
    const key = readStepKey(one.at)
    const isAgents = key && one.outcome.came.status === 'ready'
    const answer = isAgents ? answers.get(stepKey(key.step, `child${key.index}`)) : undefined
    return answer ? { ...answer, at: one.at } : one
  })
  return { ...run, outcomes }
}

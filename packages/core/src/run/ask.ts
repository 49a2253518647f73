import { type Admitted, admit } from '../ask/admit.js'
import type { ModelReply, ModelRequest, ModelSink } from '../ask/model.js'
import { CapstanError } from '../words/error.js'
import type { StepContext } from '../words/host.js'
import type { Message, ToolDefinition, WireToolChoice } from '../words/message.js'
import { checkSettings } from './check-settings.js'
import type { RunPlan, StepChanges, ToolChoice, Walk } from './walk.js'

/** The model's answer to one request, as it is recorded. */
export interface Reply extends Admitted, Omit<ModelReply, 'message'> {
  /** Whether this request forced a tool: that happens once in a run. */
  readonly forced: boolean
}

/** Asks the model once, as one step of the host. */
export function ask(walk: Walk, plan: RunPlan): Promise<Reply> {
  return plan.host.step({
    key: `t${walk.state.turn}/model`,
    options: { kind: 'model', name: plan.model.name },
    run: (step) => request(walk, plan, step),
  })
}

async function request(walk: Walk, plan: RunPlan, step: StepContext): Promise<Reply> {
  const { state, records, callIds } = walk
  const view = { step: state.turn, messages: state.messages, toolCalls: records, context: plan.context }
  const changes = (await plan.prepareStep?.(view)) ?? {}
  checkSettings(changes.settings)
  const choice = changes.toolChoice ?? (state.flags.forcedChoiceUsed ? 'auto' : plan.toolChoice)
  const tools = choice === 'none' ? [] : offered(plan, changes.tools)
  const wireChoice = toWireChoice(choice, tools)
  const asked: ModelRequest = {
    messages: await withInstructions(walk, plan, changes),
    tools,
    toolChoice: wireChoice,
    settings: { ...plan.settings, ...changes.settings },
    stream: plan.stream,
    retries: plan.host.retries === 'core',
    ...step,
  }
  const { message, ...rest } = await (changes.model ?? plan.model).complete(asked, toSink(plan, state.turn))
  const admission = { toolset: plan.toolset, taken: callIds, turn: state.turn, repair: plan.repair }
  const admitted = admit({ message, ...rest }, admission)
  return { ...rest, ...admitted, forced: tools.length > 0 && wireChoice !== 'auto' }
}

const noTools: readonly ToolDefinition[] = []

function offered({ toolset }: RunPlan, names: StepChanges['tools']): readonly ToolDefinition[] {
  if (!names) return toolset.definitions
  if (names.length === 0) return noTools
  return names.map((name) => {
    const tool = toolset.get(name)
    if (!tool) throw unknownTool(name, toolset.names)
    return tool.definition
  })
}

function toWireChoice(choice: ToolChoice, tools: readonly ToolDefinition[]): WireToolChoice {
  if (choice === 'auto' || choice === 'none' || tools.length === 0) return 'auto'
  if (choice === 'required') return 'required'
  const forced =
    typeof choice === 'string' ? { type: 'function' as const, function: { name: choice } } : choice
  const names = tools.map((tool) => tool.function.name)
  if (!names.includes(forced.function.name)) throw unknownTool(forced.function.name, names)
  return forced
}

async function withInstructions(
  walk: Walk,
  plan: RunPlan,
  changes: StepChanges,
): Promise<readonly Message[]> {
  const given = changes.instructions ?? plan.instructions
  const content = typeof given === 'function' ? await given(plan.context) : given
  if (!content) return walk.state.messages
  // The same object while the text is the same: it is written to JSON once.
  if (walk.system?.content !== content) walk.system = { role: 'system', content }
  return [walk.system, ...walk.state.messages]
}

function toSink({ emit, stream }: RunPlan, step: number): ModelSink | undefined {
  if (!emit) return undefined
  return (delta) => {
    if (delta.type === 'retry') emit({ ...delta, type: 'retry-scheduled', step })
    else if (!stream) return
    else if (delta.type === 'call') emit({ ...delta, type: 'call-delta', step })
    else emit({ type: delta.type === 'text' ? 'text-delta' : 'reasoning-delta', step, text: delta.text })
  }
}

function unknownTool(name: string, names: readonly string[]): CapstanError {
  const message = `There is no tool "${name}" to offer or force. The tools are: ${names.join(', ')}.`
  return new CapstanError('unknown_tool', message, { evidence: { name } })
}

import { checkSettings } from '../run/check-settings.js'
import { toLimits } from '../run/to-limits.js'
import type { StuckOptions, ToolChoice } from '../run/walk.js'
import type { Toolset } from '../tool/toolset.js'
import type { AnyTool } from '../tool/types.js'
import { CapstanError } from '../words/error.js'
import type { PriceTable } from '../words/price.js'
import type { Limits } from '../words/state.js'
import type { AgentOptions } from './agent-options.js'

/** Refuses an agent's options that would fail, or do nothing, in the middle of a run. @throws CapstanError */
export function checkOptions(options: AgentOptions<readonly AnyTool[]>, toolset: Toolset): void {
  const { concurrency = 1, stepTimeoutMs = 1, stuck = {}, toolErrors = 'all' } = options
  toLimits(options.limits)
  checkSettings(options.settings)
  checkToolChoice(options.toolChoice ?? 'auto', toolset)
  if (stuck) checkStuck(stuck)
  if (!['all', 'expected'].includes(toolErrors))
    throw invalid('toolErrors', toolErrors, '"all" or "expected"')
  if (!isCount(concurrency)) throw invalid('concurrency', concurrency, 'a whole number from 1 up')
  const isTime = stepTimeoutMs > 0 && stepTimeoutMs < 2 ** 31
  if (!isTime)
    throw invalid('stepTimeoutMs', stepTimeoutMs, `1 to ${2 ** 31 - 1}, or leave it out for no bound`)
}

/** Refuses a bound on costs that nobody can keep. @throws CapstanError `invalid_request` */
export function checkCost({ cost }: Limits, price: PriceTable | undefined, model: string): void {
  if (cost === undefined || (price && Object.hasOwn(price, model))) return
  const message = `limits.cost cannot be kept: there is no price for "${model}". Add it to the agent's price table.`
  throw new CapstanError('invalid_request', message, { evidence: { model } })
}

/** Refuses to force a tool that is not there. @throws CapstanError `unknown_tool` */
export function checkToolChoice(choice: ToolChoice, { names }: Toolset): void {
  const name = typeof choice === 'string' ? choice : choice.function.name
  if (['auto', 'none', 'required', ...names].includes(name)) return
  const message = `toolChoice names "${name}", which is no tool of this agent. Its tools are: ${names.join(', ')}.`
  throw new CapstanError('unknown_tool', message, { evidence: { name } })
}

function checkStuck(stuck: StuckOptions): void {
  for (const stage of ['tell', 'withhold', 'land'] as const) {
    const turns = stuck[stage] ?? 1
    if (!isCount(turns))
      throw invalid(`stuck.${stage}`, turns, 'a whole number from 1 up, or Infinity for never')
  }
}

function isCount(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) > 0)
}

function invalid(name: string, value: unknown, instead: string): CapstanError {
  return new CapstanError('invalid_request', `${name} is ${String(value)}: use ${instead}.`, {
    evidence: { option: name },
  })
}

// The code of the pages about code mode.
import { codeMode, saveProgram } from '@capstan/code'
import { Agent, type ChatModel, type Policy, type RunResult, type Tool, verdict } from '@capstan/core'

export function withDirectTools(model: ChatModel, weather: Tool, search: Tool) {
  // #region keep
  const agent = new Agent({ model, tools: [weather, search], middleware: [codeMode({ keep: ['weather'] })] })
  // #endregion
  return agent
}

export function saved(result: Pick<RunResult, 'toolCalls'>) {
  // #region save
  // The program has: await tools.forecast({ city: 'Oslo', days: 3 })
  const forecast = saveProgram(result, {
    name: 'mean_temperature',
    description: 'The mean temperature of the next days.',
    parameters: { city: 'Oslo', days: 3 },
  })
  // #endregion
  return forecast
}

export function byValues(model: ChatModel, readPage: Tool, send: Tool) {
  // #region values
  const agent = new Agent({
    model,
    tools: [readPage, send],
    middleware: [codeMode({ taint: 'values' })],
  })
  // #endregion
  return agent
}

// #region sources
export const knownReceivers: Policy = ({ name, sources }) => {
  const isOfPage = sources?.arguments.to?.some(({ untrusted }) => untrusted)
  return name === 'send' && isOfPage ? verdict.deny('the receiver comes from a page.') : verdict.allow
}
// #endregion

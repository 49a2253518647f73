// Judges score a run from 0 to 1 by rules: the same run always has the same score.
import { inspect, isDeepStrictEqual } from 'node:util'
import { createJudge, type ToolCall } from 'vitest-evals'
import type { WantedCall, WeatherCase } from './weather-cases.js'

/** The share of wanted calls that the run made, in order, of the longer list: the wanted calls or those made. */
export const rightCalls = createJudge<WeatherCase, string>('right calls', ({ input, toolCalls }) => {
  const wanted = [...input.calls]
  for (const call of toolCalls) if (wanted[0] && isWanted(wanted[0], call)) wanted.shift()
  const most = Math.max(input.calls.length, toolCalls.length)
  return {
    score: most === 0 ? 1 : (input.calls.length - wanted.length) / most,
    metadata: { rationale: `wanted: ${inLine(input.calls)}; made: ${inLine(toolCalls)}` },
  }
})

/** The share of patterns that the final text contains, for cases with patterns. */
export const rightWords = createJudge<WeatherCase, string>('right words', ({ input: { says }, output }) => {
  const missing = says.filter((pattern) => !pattern.test(output))
  return {
    score: 1 - missing.length / says.length,
    metadata: { rationale: `not said: ${missing.join(', ') || 'nothing'}` },
  }
})

function isWanted(wanted: WantedCall, call: ToolCall): boolean {
  return (
    call.name === wanted.name &&
    Object.entries(wanted.arguments).every(([key, value]) => {
      const given = call.arguments?.[key]
      return value instanceof RegExp ? value.test(String(given)) : isDeepStrictEqual(value, given)
    })
  )
}

function inLine(calls: readonly { name: string; arguments?: unknown }[]): string {
  return calls.map((call) => `${call.name}(${inspect(call.arguments)})`).join(', ') || 'no call'
}

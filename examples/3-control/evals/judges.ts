// What answers are worth, from 0 to 1: by rules, so that the same answer is always worth the same.
import { inspect, isDeepStrictEqual } from 'node:util'
import { createJudge, type ToolCall } from 'vitest-evals'
import type { WantedCall, WeatherCase } from './weather-cases.js'

/** The wanted calls that were made, in their order, as a share of those wanted or of those made: the longer list counts. */
export const rightCalls = createJudge<WeatherCase, string>('right calls', ({ input, toolCalls }) => {
  const wanted = [...input.calls]
  for (const call of toolCalls) if (wanted[0] && isWanted(wanted[0], call)) wanted.shift()
  const most = Math.max(input.calls.length, toolCalls.length)
  return {
    score: most === 0 ? 1 : (input.calls.length - wanted.length) / most,
    metadata: { rationale: `wanted: ${inLine(input.calls)}; made: ${inLine(toolCalls)}` },
  }
})

/** The share of patterns that the last words hold: for cases that have some. */
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

// A vitest-evals harness that runs an agent and reports its calls, text and usage. Copy it next to your evaluations.
import type { AnyToolCall, RunResult } from '@capstan/core'
import {
  createHarness,
  type Harness,
  normalizeRecord,
  type TranscriptEvent,
  toJsonValue,
} from 'vitest-evals/harness'

/** The input of a run, and more fields for the judges. */
export interface EvalCase {
  readonly ask: string
}

type RunCase<Case> = (one: Case, options: { signal?: AbortSignal }) => Promise<RunResult>

/** Runs each case by `runCase`: `({ ask }, options) => agent.run(ask, options)`. `errors` contains a run that is not `done`. */
export function agentHarness<Case extends EvalCase>(
  name: string,
  runCase: RunCase<Case>,
): Harness<Case, string> {
  return createHarness<Case, string>({
    name,
    async run({ input, signal }) {
      const result = await runCase(input, signal ? { signal } : {})
      const { text, stopReason, usage } = result
      const { inputTokens, outputTokens, totalTokens } = usage
      return {
        output: text,
        events: [
          { type: 'message', role: 'user', content: input.ask },
          ...result.toolCalls.flatMap(toEvents),
          { type: 'message', role: 'assistant', content: text },
        ],
        usage: { inputTokens, outputTokens, totalTokens, toolCalls: usage.toolCalls },
        artifacts: Object.fromEntries(result.artifacts.map((artifact) => [artifact.id, artifact])),
        errors:
          stopReason === 'done' ? [] : [{ type: stopReason, message: `The run ended as ${stopReason}.` }],
      }
    },
  })
}

function toEvents(call: AnyToolCall): TranscriptEvent[] {
  const { callId, name, status, result, content, ms } = call
  const answer =
    status === 'ok'
      ? { content: toJsonValue(result) ?? content }
      : { error: { type: status, message: content } }
  return [
    { type: 'tool_call', id: callId, name, arguments: normalizeRecord(Object(call.arguments)) },
    { type: 'tool_result', toolCallId: callId, name, durationMs: ms, ...answer },
  ]
}

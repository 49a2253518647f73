import type { AssistantMessage, ModelDelta, ModelSink } from '@capstan/core'
import { callsOf, textOf } from '@capstan/core/internal'

/**
 * Tells a message as a server streams it: words one by one, arguments in fragments, each in a turn of its own, so that
 * whoever listens can stop it. @throws the signal's reason once it aborts
 */
export async function tellDeltas(
  message: AssistantMessage,
  sink: ModelSink,
  signal: AbortSignal,
): Promise<void> {
  for (const delta of deltasOf(message)) {
    signal.throwIfAborted()
    sink(delta)
    await undefined
  }
  signal.throwIfAborted()
}

function deltasOf(message: AssistantMessage): ModelDelta[] {
  const reasoning = message.reasoning_content ?? message.reasoning
  return [
    ...wordsOf(reasoning).map((text): ModelDelta => ({ type: 'reasoning', text })),
    ...wordsOf(textOf(message.content)).map((text): ModelDelta => ({ type: 'text', text })),
    ...callsOf(message).flatMap(({ function: { name, arguments: args } }, index) =>
      fragmentsOf(args).map((part): ModelDelta => ({ type: 'call', index, name, arguments: part })),
    ),
  ]
}

/** Each word with the white space behind it. */
function wordsOf(text: unknown): readonly string[] {
  return typeof text === 'string' ? (text.match(/^\s+|\S+\s*/g) ?? []) : []
}

/** The name comes first, with none of the arguments. */
function fragmentsOf(args: string): readonly string[] {
  return ['', ...(args.match(/.{1,8}/gsu) ?? [])]
}

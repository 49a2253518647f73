import { MessageBuilder } from '../src/features/reply-forms/reply-forms.js'
import type { RawJson } from '../src/model/reply-fields.js'
import type { ModelDelta, ModelReply } from '../src/types/model.js'

/** A chunk of a stream. */
export const delta = (given: unknown, finish_reason: unknown = null): RawJson => ({
  choices: [{ index: 0, delta: given, finish_reason }],
})

/** A completion, its choice with further fields. */
export const whole = (message: unknown, further: RawJson = {}): RawJson => ({
  choices: [{ message, ...further }],
})

/** A call as the wire has it. */
export const wireCall = (id: string, name: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
})

/** The reply of chunks, and the deltas that were told on the way. The tools are `f` and `g`. */
export function assemble(chunks: readonly RawJson[], ended = true): ModelReply & { deltas: ModelDelta[] } {
  const deltas: ModelDelta[] = []
  const assembly = new MessageBuilder(
    (name) => ['f', 'g'].includes(name),
    (told) => deltas.push(told),
  )
  for (const chunk of chunks) assembly.add(chunk)
  return { ...assembly.finish(ended), deltas }
}

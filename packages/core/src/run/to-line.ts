import { callsOf, type Message, textOf } from '../words/message.js'

/** A message as one line of a conversation that is told. */
export function toLine(message: Message): string {
  const calls = callsOf(message).map((call) => `[calls ${call.function.name} ${call.function.arguments}]`)
  return `${message.role}: ${[textOf(message.content), ...calls].join(' ')}`
}

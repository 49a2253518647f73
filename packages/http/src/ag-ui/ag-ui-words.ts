import type { Said } from '../spoken.js'

/** A piece of what is said or thought; a thought is a message in a span of its own. */
export function toWords({ type, kind, text }: Said, messageId: string): readonly object[] {
  const prefix = kind === 'text' ? 'TEXT_MESSAGE' : 'REASONING_MESSAGE'
  const isThought = kind === 'reasoning'
  switch (type) {
    case 'words':
      return [{ type: `${prefix}_CONTENT`, messageId, delta: text }]
    case 'begin':
      return [
        ...(isThought ? [{ type: 'REASONING_START', messageId }] : []),
        { type: `${prefix}_START`, messageId, role: isThought ? 'reasoning' : 'assistant' },
      ]
    case 'end':
      return [
        { type: `${prefix}_END`, messageId },
        ...(isThought ? [{ type: 'REASONING_END', messageId }] : []),
      ]
  }
}

import type { RunEvent } from '@capstan/core'

/** What the model says, piece by piece, or at once where it does not stream. */
export function newWords(): { from(event: RunEvent): string } {
  let isStreamed = false
  return {
    from(event) {
      if (event.type === 'text-delta') {
        isStreamed = true
        return event.text
      }
      if (event.type === 'step-start' || event.type === 'retry-scheduled') isStreamed = false
      if (event.type !== 'message-added' || event.message.role !== 'assistant' || isStreamed) return ''
      const { content } = event.message
      if (typeof content === 'string') return content
      return (content ?? []).map((part) => (part.type === 'text' ? String(part.text) : '')).join('')
    },
  }
}

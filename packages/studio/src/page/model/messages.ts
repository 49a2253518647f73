import type { Message } from '@capstan/core'

/** The message that started a run, as the user wrote it. */
export interface Input {
  readonly text: string
  /** The ids of the attached artifacts. */
  readonly attachments: readonly string[]
}

/** Returns a run's input: the user messages at the end of its first state. */
export function inputOf(messages: readonly Message[]): Input {
  const last = messages.findLastIndex(({ role }) => role !== 'user')
  const own = messages.slice(last + 1)
  const attachments = own.flatMap(({ media }) =>
    Array.isArray(media) ? media.flatMap(({ artifact }) => (artifact ? [artifact] : [])) : [],
  )
  return { text: own.map(textOf).join('\n\n'), attachments: [...new Set(attachments)] }
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('')
}

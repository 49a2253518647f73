import type { Message } from '@capstan/core'
import { isInside } from './place.js'
import type { RunTold } from './recording.js'

/** Whether a run showed its model pictures that tools had made: a recording has not got them. */
export function showsPictures({ exchanges, end }: RunTold): boolean {
  const said = new Set((end?.messages ?? []).flatMap(picturesOf))
  const own = exchanges.filter(({ at }) => !isInside(at))
  return own.some(({ messages }) => messages.flatMap(picturesOf).some((picture) => !said.has(picture)))
}

function picturesOf({ content }: Message): readonly string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part) => (part.type === 'image_url' ? [JSON.stringify(part)] : []))
}

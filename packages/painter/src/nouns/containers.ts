import type { Noun } from './part.js'

const containers = new Set(
  'bowl,basket,plate,bucket,box,package,vase,sled,shopping cart,barrel,suitcase,gift'.split(','),
)
const carriers = new Set('bed,bathtub,sailboat,canoe,motorboat,nest,cup,spider web,tree,pine,palm'.split(','))

/** Whether a thing is mentioned together with its contents, like a bowl of apples. */
export function isContainer({ words: [name = ''] }: Noun): boolean {
  return containers.has(name)
}

/** Whether a thing can carry other things. They are drawn on it, like a dog in a boat. */
export function canCarry(noun: Noun): boolean {
  return isContainer(noun) || carriers.has(noun.words[0] ?? '')
}

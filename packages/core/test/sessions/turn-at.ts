import type { Message } from '@capstan/core'

/** The next four messages of a session at this version: known in advance, of different sizes. */
export function turnAt(version: number): Message[] {
  const id = `call_${version}`
  return [
    { role: 'user', content: `Question ${version}, für 世界` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'look_up', arguments: `{"n":${version}}` } }],
    },
    { role: 'tool', tool_call_id: id, content: 'é'.repeat(sizes[(version / 4) % sizes.length] ?? 0) },
    { role: 'assistant', content: `Answer ${version}` },
  ]
}

/** A session of this version, in full. */
export function turnsUpTo(version: number): Message[] {
  return Array.from({ length: version / 4 }, (_, turn) => turnAt(turn * 4)).flat()
}

const sizes = [10, 100_000, 500, 250_000, 20, 40_000, 3]

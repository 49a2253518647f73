import type { Toolset } from '../tool/toolset.js'
import type { Artifact } from '../words/artifact.js'
import type { Message } from '../words/message.js'
import type { CallRecord } from './walk.js'

const start = 'The pictures that the results above name: '

/** The message that names a turn's pictures for a model that sees; undefined when its tools show none. */
export function showing(turn: readonly CallRecord[], toolset: Toolset): Message | undefined {
  const shows = ({ name, status }: CallRecord) => status === 'ok' && toolset.get(name)?.settings.show
  const ids = turn
    .filter(shows)
    .flatMap(({ artifacts = [] }) => artifacts.filter(isPicture).map(({ id }) => id))
  return ids.length > 0 ? { role: 'user', content: `${start}${[...new Set(ids)].join(', ')}` } : undefined
}

/** The ids in such a message; undefined for any other. */
export function shownIn({ role, content }: Message): readonly string[] | undefined {
  if (role !== 'user' || typeof content !== 'string' || !content.startsWith(start)) return undefined
  return content.slice(start.length).split(', ')
}

function isPicture({ kind }: Artifact): boolean {
  return kind === 'image'
}

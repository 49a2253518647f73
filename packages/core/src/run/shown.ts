import type { Toolset } from '../tool/toolset.js'
import { type Artifact, isArtifactId } from '../words/artifact.js'
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

/** The ids in such a message; undefined for any other. A user can write such a message as well: who reads it must know what may be shown. */
export function shownIn({ role, content }: Message): readonly string[] | undefined {
  if (role !== 'user' || typeof content !== 'string' || !content.startsWith(start)) return undefined
  // What is attached to it stands below.
  const [line = ''] = content.slice(start.length).split('\n')
  const ids = line.split(', ')
  return ids.every(isArtifactId) ? ids : undefined
}

/** Whether a message is words of the user, and not the pictures of a turn. */
export function isRequest(message: Message): boolean {
  return message.role === 'user' && shownIn(message) === undefined
}

function isPicture({ kind }: Artifact): boolean {
  return kind === 'image'
}

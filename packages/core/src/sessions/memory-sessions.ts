import { checkSessionId, checkVersion, toAddition } from './append.js'
import type { SessionStore } from './session.js'

/** Creates a store of sessions in the memory of this process. */
export function memorySessions(): SessionStore {
  const sessions = new Map<string, Stored>()
  return {
    async load(id) {
      checkSessionId(id)
      const { version, texts } = sessions.get(id) ?? nothing
      return { id, version, messages: texts.flatMap((text) => JSON.parse(text)) }
    },
    async append(id, messages, expectedVersion) {
      const addition = toAddition(id, messages, expectedVersion)
      const { version, texts } = sessions.get(id) ?? nothing
      checkVersion(addition, version)
      if (addition.count === 0) return version
      const stored = {
        version: version + addition.count,
        texts: [...texts, addition.messagesText],
        updatedAt: addition.time,
      }
      // Deleted first, so that the map keeps the order of the list.
      sessions.delete(id)
      sessions.set(id, stored)
      return stored.version
    },
    async list() {
      const infos = Array.from(sessions, ([id, { version, updatedAt }]) => ({ id, version, updatedAt }))
      return infos.reverse()
    },
    async delete(id) {
      checkSessionId(id)
      sessions.delete(id)
    },
  }
}

interface Stored {
  readonly version: number
  /** The JSON of each append: text cannot be changed from outside. */
  readonly texts: readonly string[]
  readonly updatedAt: number
}

const nothing: Pick<Stored, 'version' | 'texts'> = { version: 0, texts: [] }

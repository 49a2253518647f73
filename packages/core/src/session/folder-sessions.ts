import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { absent } from '../tool/artifact-entries.js'
import { inTurn } from '../words/in-turn.js'
import type { SessionInfo, SessionStore } from '../words/session.js'
import { toAddition } from './addition.js'
import { appendLine } from './append-line.js'
import { syncFolder } from './session-file.js'
import { idsIn, parseLog, readable } from './session-log.js'
import { checkSessionId, sessionName } from './session-name.js'

/**
 * A store in a folder, made when it is missing: each session is a file of JSON lines, each append one line, on disk
 * before it is acknowledged. A process can be killed at any moment, and what it had begun to write is not there.
 * Of several writers, in other processes too, the first wins and the others get `conflict`; for that the file system
 * must be local, since network file systems do not append in one piece. `list` reads every file. Files have mode 0600, a
 * new folder 0700.
 * @throws CapstanError `invalid_state` for a session that was spoilt by hand or written by a newer version
 */
export function folderSessions(folder: string): SessionStore {
  const turn = inTurn()
  const pathOf = async (id: string) => join(folder, await fileOf(id))
  return {
    async load(id) {
      checkSessionId(id)
      const path = await pathOf(id)
      const bytes = await readFile(path).catch(absent)
      if (!bytes) return { id, version: 0, messages: [] }
      const { taken, version } = readable(path, id, parseLog(bytes, id))
      return { id, version, messages: taken.flatMap(({ messages }) => messages) }
    },
    async append(id, messages, expectedVersion) {
      const addition = toAddition(id, messages, expectedVersion)
      await turn(id, async () => appendLine(await pathOf(id), addition))
      return expectedVersion + addition.count
    },
    async list() {
      const infos: SessionInfo[] = []
      for (const file of (await readdir(folder).catch(absent)) ?? []) {
        const info = file.endsWith(extension) && (await infoOf(folder, file))
        if (info) infos.push(info)
      }
      return infos.sort((a, b) => b.updatedAt - a.updatedAt)
    },
    async delete(id) {
      checkSessionId(id)
      await turn(id, async () => {
        await rm(await pathOf(id), { force: true })
        await syncFolder(folder)
      })
    },
  }
}

const extension = '.jsonl'

async function fileOf(id: string): Promise<string> {
  return `${await sessionName(id)}${extension}`
}

/** A session that cannot be read in full is told as well: it is there, and can be deleted. */
async function infoOf(folder: string, file: string): Promise<SessionInfo | undefined> {
  const bytes = (await readFile(join(folder, file)).catch(absent)) ?? Buffer.of()
  for (const id of idsIn(bytes)) {
    if ((await fileOf(id)) !== file) continue
    const { taken, version, fault } = parseLog(bytes, id)
    const isThere = version > 0 || fault !== undefined
    return isThere ? { id, version, updatedAt: taken.at(-1)?.time ?? 0 } : undefined
  }
  return undefined
}

import { readFile } from 'node:fs/promises'
import { CapstanError } from '@capstan/core'
import { checkRunId } from '../run-id.js'
import type { KeptRun } from './kept-run.js'
import { isCode, newestFiles, RunFiles } from './run-files.js'
import { runConflict, runName } from './run-name.js'
import type { RunStateStore, StoredRun } from './run-state-store.js'

/**
 * A store in a folder, made when it is missing. Each version of a run is a file of its own, on disk under its name
 * only when it is whole, so that a process can be killed, and a disk be full, at any moment: the version before is
 * there. Of several writers, in other processes too, one comes first and the others get `conflict`; for that the file
 * system must give a file two names (hard links), as local ones do.
 * Files have mode 0600, a new folder 0700.
 * @throws CapstanError `invalid_state` for a run that was spoilt by hand or written by a newer version; errors of the
 * file system as they are
 */
export function folderRuns(folder: string): RunStateStore {
  const filesOf = (runId: string) => {
    checkRunId(runId)
    return new RunFiles(folder, runName(runId))
  }
  return {
    async load(runId) {
      const files = filesOf(runId)
      for (;;) {
        const version = (await files.versions()).at(-1)
        if (version === undefined) return undefined
        const found = await read(files.path(version))
        // Otherwise a newer one took its place since the folder was looked at.
        if (found) return { run: found.run, version }
      }
    },
    async save(runId, run, version) {
      const files = filesOf(runId)
      const newest = async () => (await files.versions()).at(-1) ?? 0
      if ((await newest()) !== version) throw runConflict(runId)
      const text = JSON.stringify({ format, runId, run })
      if (!(await files.write(version + 1, text))) throw runConflict(runId)
      const now = await files.versions()
      const isGone = version > 0 && now.at(-1) === version + 1 && !now.includes(version)
      // A version goes when the next but one comes: had this one been there before, there is one that is newer still.
      if (isGone || (now.at(-1) ?? 0) > version + 2) {
        await files.remove(version + 1)
        throw runConflict(runId)
      }
      for (const old of now) if (old < version) await files.remove(old)
      return version + 1
    },
    delete: (runId) => filesOf(runId).removeAll(),
    async list() {
      const found: string[] = []
      for (const path of await newestFiles(folder)) {
        const one = await read(path)
        if (one) found.push(one.runId)
      }
      return found
    },
  }
}

const format = 1

interface Kept extends Pick<StoredRun, 'run'> {
  readonly runId: string
}

/** Undefined when the file is not there. */
async function read(path: string): Promise<Kept | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { format: written, runId, run } = parsed(text)
  if (written === format && typeof runId === 'string' && Object(run) === run)
    return { runId, run: run as KeptRun }
  const why =
    typeof written === 'number' && written > format
      ? `it has format ${written}. Use the version that wrote it.`
      : 'it holds something else, or a part. Restore it from a copy, or delete it.'
  throw new CapstanError('invalid_state', `The run in "${path}" cannot be read: ${why}`, {
    evidence: { path },
  })
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}

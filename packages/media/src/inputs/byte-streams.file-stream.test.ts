import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fileStream } from './byte-streams.js'

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'file-stream-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Files of this test that the process holds open. */
async function openIn(folder: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd')
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder))
}

test.runIf(process.platform === 'linux')(
  'closes a file after reading, after a cancel, and after an error',
  async () => {
    const folder = await ownFolder()
    const path = join(folder, 'a')
    await writeFile(path, new Uint8Array(200_000))
    expect((await new Response(fileStream(path)).arrayBuffer()).byteLength).toBe(200_000)
    expect(await openIn(folder)).toEqual([])
    const reader = fileStream(path).getReader()
    await reader.read()
    expect(await openIn(folder)).toEqual([path])
    await reader.cancel()
    expect(await openIn(folder)).toEqual([])
    await expect(fileStream(folder).getReader().read()).rejects.toThrow('EISDIR')
    expect(await openIn(folder)).toEqual([])
  },
)

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** A program that plays an audio file without opening a window. */
interface Player {
  readonly name: string
  /** The arguments to pass before the file's path. */
  readonly args: readonly string[]
  /** The media types that the program can play. Default: all. */
  readonly only?: readonly string[]
}

const wav = ['audio/wav', 'audio/x-wav', 'audio/wave']

/**
 * Players in order of preference. The first one that is installed is used. The system's own players come before players
 * that open a window or print text by default.
 */
const players: readonly Player[] = [
  { name: 'afplay', args: [] },
  { name: 'pw-play', args: [], only: [...wav, 'audio/flac', 'audio/ogg'] },
  { name: 'paplay', args: [], only: [...wav, 'audio/flac', 'audio/ogg'] },
  { name: 'aplay', args: ['-q'], only: wav },
  { name: 'mpg123', args: ['-q'], only: ['audio/mpeg'] },
  { name: 'ffplay', args: ['-nodisp', '-autoexit', '-loglevel', 'error'] },
  { name: 'mpv', args: ['--no-video', '--really-quiet'] },
  { name: 'play', args: ['-q'] },
]

/**
 * Plays an audio file with an installed program. Resolves at the end of the file, or when the signal aborts.
 * @throws Error if the program fails, or if no program is installed, with a message that suggests programs
 */
export async function playSound(path: string, mediaType: string, signal: AbortSignal): Promise<void> {
  const [type = ''] = mediaType.split(';')
  const able = players.filter(({ only }) => only === undefined || only.includes(type.trim()))
  for (const { name, args } of able) {
    const program = findProgram(name)
    if (program === undefined) continue
    return run(program, [...args, path], signal)
  }
  const names = able.map(({ name }) => name).join(', ')
  throw new Error(`No player for ${type.trim()} is installed. Install one of: ${names}.`)
}

/** Finds a program in the folders that PATH lists. Ignores relative folders, such as `.`. */
function findProgram(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter((one) => isAbsolute(one))) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

function run(program: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore' })
    const stop = () => child.kill()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    child.once('error', (cause) => reject(new Error(`Cannot start ${program}: ${cause.message}`, { cause })))
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (code === 0 || signal.aborted) resolve()
      else reject(new Error(`${program} failed with exit code ${code}.`))
    })
  })
}

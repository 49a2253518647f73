import { resolve } from 'node:path'
import { type Artifact, CapstanError } from '@capstan/core'
import { suggest } from '@capstan/core/internal'
import { UsageError } from '../exit-codes.js'
import { namedFiles } from './file-paths.js'
import { playSound } from './play-sound.js'
import { pathOf } from './show-artifact.js'
import type { MarkedFile } from './terminal-keys.js'
import type { Chat } from './turn.js'

/** A command that the user types in a chat, such as `/help`. */
interface ChatCommand {
  readonly name: string
  /** The command's arguments in the help, such as `[ID]`. Empty if it takes none. */
  readonly usage: string
  readonly summary: string
  /** Runs the command. If it throws, the error is printed and the chat continues. */
  run(given: string, context: CommandContext): Promise<void>
}

export interface CommandContext {
  readonly chat: Chat
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
  /** Attaches files to the next message. */
  attach(files: readonly MarkedFile[]): void
  leave(): void
}

/** Captures the command's name after the slash, and the text that follows it. */
const pattern = /^\/(\S*)\s*(.*)$/s

/** Whether a line is a command. A space before the slash makes it a message. */
export function isCommand(line: string): boolean {
  return line.startsWith('/')
}

/** Runs the command that a line contains. @throws UsageError for an unknown command */
export async function runCommand(line: string, context: CommandContext): Promise<void> {
  const [, name = '', given = ''] = pattern.exec(line) ?? []
  const command = commands.find((one) => one.name === name)
  if (command) return command.run(given.trim(), context)
  const meant = suggest(
    name,
    commands.map((one) => one.name),
  )
  const advice = meant === undefined ? '/help lists the commands.' : `Did you mean /${meant}?`
  throw new UsageError(
    `Unknown command /${name}. ${advice} To send it as a message, put a space before the slash.`,
  )
}

const commands: readonly ChatCommand[] = [
  {
    name: 'attach',
    usage: 'PATH',
    summary: 'attaches a file to the next message; you can also drop a file here',
    run: async (given, { attach }) => attach(namedFiles(given)),
  },
  {
    name: 'files',
    usage: '',
    summary: 'lists the images, audio and files of the conversation',
    async run(_given, { chat }) {
      const artifacts = await chat.session.artifacts.list()
      if (artifacts.length === 0) chat.terminal.writeLine('No files yet.')
      for (const artifact of artifacts) await chat.showArtifact(artifact, 'link')
    },
  },
  {
    name: 'show',
    usage: '[ID]',
    summary: 'shows an image, or the link to a file; without an id, the newest',
    run: async (given, { chat }) => chat.showArtifact(await find(given, chat)),
  },
  {
    name: 'play',
    usage: '[ID]',
    summary: 'plays audio; without an id, the newest; Ctrl-C stops it',
    async run(given, { chat, signal }) {
      const sound = await find(given, chat, 'audio')
      const path = pathOf(sound, chat.session.artifacts)
      if (path === undefined)
        throw new UsageError(
          'Audio can only be played from a session folder. Start the chat with --session DIR.',
        )
      await playSound(resolve(path), sound.mediaType, signal)
    },
  },
  {
    name: 'help',
    usage: '',
    summary: 'lists the commands and keys',
    run: async (_given, { chat }) => chat.terminal.writeLine(formatHelp()),
  },
  {
    name: 'exit',
    usage: '',
    summary: 'ends the chat, as Ctrl-D does',
    run: async (_given, { leave }) => leave(),
  },
]

/**
 * Finds an artifact by id. For an empty id, finds the newest artifact of this kind. @throws CapstanError `not_found`
 */
async function find(id: string, { session }: Chat, kind?: Artifact['kind']): Promise<Artifact> {
  if (id !== '') {
    const found = await session.artifacts.stat(id)
    if (found && (kind === undefined || found.kind === kind)) return found
    const what = kind === 'audio' ? 'audio file' : 'file'
    throw new CapstanError('not_found', `No ${what} "${id}" in this conversation. /files lists the ids.`)
  }
  const all = await session.artifacts.list()
  const newest = all.findLast((one) => kind === undefined || one.kind === kind)
  if (newest) return newest
  throw new CapstanError(
    'not_found',
    `No ${kind === 'audio' ? 'audio files' : 'files'} in this conversation yet.`,
  )
}

function formatHelp(): string {
  const rows = commands.map(({ name, usage, summary }) => [`/${name} ${usage}`, summary] as const)
  const all = [...rows, ...keys]
  const width = Math.max(...all.map(([left]) => left.length))
  return all.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join('\n')
}

const keys = [
  ['Ctrl-C', 'stops the reply; a second one ends the chat'],
  ['Enter', 'sends the line; during a reply, to its run'],
] as const

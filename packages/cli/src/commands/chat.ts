import type { Message } from '@capstan/core'
import { textOf, visibleText } from '@capstan/core/internal'
import { canPrompt } from '../approvals.js'
import { command } from '../args.js'
import { type ChatSession, openChatSession } from '../chat/chat-session.js'
import { namedFile } from '../chat/file-paths.js'
import { type LineEditor, openLineEditor } from '../chat/line-editor.js'
import { chatInPipe } from '../chat/piped-chat.js'
import { type ArtifactDisplay, showArtifact } from '../chat/show-artifact.js'
import { chatOnTerminal } from '../chat/terminal-chat.js'
import { betterGraphics, canQuery, graphicsIn, graphicsOf, graphicsQuery } from '../chat/terminal-graphics.js'
import type { Chat } from '../chat/turn.js'
import { exitCodes } from '../exit-codes.js'
import { formatCount, sanitizeText } from '../format.js'
import { findAgent, loadFile } from '../load-file.js'
import { openModelServer } from '../model-server.js'
import { openTerminal } from '../terminal.js'
import { contextOption } from './run.js'

/** `capstan chat`: chats with an agent in the terminal. */
export const chat = command({
  name: 'chat',
  usage: 'FILE',
  summary: 'chats with an agent that a file exports',
  details:
    'On a terminal, /help lists the commands. In a pipe each line is a message, and replies go to stdout.',
  positionals: { least: 1, most: 1 },
  flags: {
    agent: {
      type: 'string',
      valueName: 'NAME',
      description: 'agent to chat with, if FILE exports several',
    },
    session: {
      type: 'string',
      valueName: 'DIR',
      description: 'keep the conversation and its files in this folder, and continue it (default: in memory)',
    },
    attach: {
      type: 'string',
      valueName: 'PATH',
      multiple: true,
      description: 'file for the first message',
    },
    context: { type: 'string', valueName: 'JSON', description: 'context object for the tools' },
  },
  async run({ positionals: [file = ''], flags }) {
    const terminal = openTerminal(flags['no-color'])
    const context = contextOption(flags.context)
    const files = (flags.attach ?? []).map(namedFile)
    const agent = findAgent(await loadFile(file), file, flags.agent)
    const session = await openChatSession(flags.session, agent)
    const server = openModelServer((line) => terminal.writeLine(line))
    const display = { ...toDisplay(), store: session.artifacts, terminal }
    const parts: Chat = {
      agent,
      session,
      terminal,
      context,
      model: server.model,
      debug: flags.debug ?? false,
      showArtifact: (artifact, as = 'picture') =>
        showArtifact(artifact, as === 'link' ? { ...display, graphics: undefined } : display),
    }
    try {
      if (!canPrompt()) return await chatInPipe(parts, process.stdin, files)
      const editor = await openEditor(agent.name, session, display)
      // Keeps the saved run, so that the next chat can continue it.
      process.once('SIGTERM', () => {
        void session.close().finally(() => process.exit(exitCodes.terminated))
      })
      return await chatOnTerminal(parts, editor, files).finally(() => editor.close())
    } finally {
      await session.close()
      await server.close()
    }
  },
})

/** Returns how this terminal can show artifacts, as far as the environment variables indicate. */
function toDisplay(): Pick<Writable<ArtifactDisplay>, 'links' | 'graphics'> {
  const { stdout, stderr, env } = process
  const isTerminal = stdout.isTTY === true && stderr.isTTY === true && env.TERM !== 'dumb'
  return { links: isTerminal, graphics: isTerminal ? graphicsOf(env) : undefined }
}

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] }

/**
 * Prints a greeting, opens the line editor, and asks the terminal how it can show images. Does not wait for the reply.
 */
async function openEditor(
  agent: string,
  session: ChatSession,
  display: Writable<ArtifactDisplay>,
): Promise<LineEditor> {
  const { stdin: input, stderr: output } = process
  const { messages } = await session.ref.store.load(session.ref.id)
  const earlier = messages.length > 0 ? `${formatCount(messages.length, 'message')} from last time. ` : ''
  display.terminal.writeLine(`Chat with ${sanitizeText(agent)}. ${earlier}/help lists the commands.`)
  const onReply = (reply: string) => {
    display.graphics = betterGraphics(display.graphics, graphicsIn(reply))
  }
  const editor = openLineEditor({ input, output }, { history: toHistory(messages), onReply })
  if (display.links && canQuery(process.env)) editor.query(graphicsQuery)
  return editor
}

/** Returns the user's earlier messages for the line editor, newest first. Omits those that do not fit on one line. */
function toHistory(messages: readonly Message[]): string[] {
  const lines = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
  return lines.filter((line) => visibleText(line) === line && !line.includes('\n')).reverse()
}

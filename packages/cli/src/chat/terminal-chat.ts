import type { Decisions, Run, RunResult, RunState } from '@capstan/core'
import { exitCodes, UsageError } from '../exit-codes.js'
import { formatError, sanitizeText } from '../format.js'
import { isCommand, runCommand } from './chat-commands.js'
import { decideCalls, type Undecided } from './decide.js'
import type { EnteredLine, LineEditor } from './line-editor.js'
import type { MarkedFile } from './terminal-keys.js'
import { type Chat, runTurn, type TurnOptions } from './turn.js'

/** Chats on a terminal until the user leaves. `files` are attached to the first message. Returns the exit code. */
export async function chatOnTerminal(
  chat: Chat,
  editor: LineEditor,
  files: readonly MarkedFile[],
): Promise<number> {
  const person = new TerminalChat(chat, editor, files)
  await person.resume()
  while (person.exitCode === undefined) await person.next()
  return person.exitCode
}

class TerminalChat {
  /** The chat's exit code. Undefined until the user leaves. */
  exitCode: number | undefined
  readonly #chat: Chat
  readonly #editor: LineEditor
  /** Files to attach to the next message. */
  #files: readonly MarkedFile[]
  /** Whether the user's last input was Ctrl-C. */
  #isInterrupted = false

  constructor(chat: Chat, editor: LineEditor, files: readonly MarkedFile[]) {
    this.#chat = chat
    this.#editor = editor
    this.#files = files
  }

  /** Offers to continue a reply that an earlier chat left unfinished. If the user declines, ends the reply. */
  async resume(): Promise<void> {
    const state = await this.#chat.session.loadUnfinished()
    if (!state) return
    const isPending = state.stopReason === 'pending' || state.pending.length > 0
    this.#notice(isPending ? 'The last reply is waiting for your decision.' : interrupted)
    if (isPending || (await this.#confirm('Continue it? [y]es, [n]o (drops it): '))) {
      await this.#runTurn(state)
      // The run failed before it started, for example because the agent's tools have changed.
      const left = this.exitCode === undefined && (await this.#chat.session.loadUnfinished())
      if (left) await this.#drop(left)
    } else if (this.exitCode === undefined) await this.#drop(state)
  }

  /** Prompts for a line, and handles it: a command, a message, Ctrl-C or Ctrl-D. */
  async next(): Promise<void> {
    this.#chat.terminal.startLine()
    const entered = await this.#editor.ask('> ')
    if (entered === 'closed') this.exitCode = exitCodes.done
    else if ('discarded' in entered) this.#interrupt(entered.discarded)
    else await this.#take(entered)
  }

  async #take({ text, files }: EnteredLine): Promise<void> {
    this.#isInterrupted = false
    this.#attach(files)
    const names = files.map(({ name }) => name).join(' ')
    if (isCommand(text)) await this.#command(text)
    else if (text.trim() !== '' && text.trim() !== names) await this.#send(text.trim())
  }

  async #send(text: string): Promise<void> {
    const attachments = this.#files.map(({ path }) => ({ path }))
    this.#files = []
    await this.#runTurn(text, attachments)
  }

  async #command(text: string): Promise<void> {
    const leave = () => {
      this.exitCode = exitCodes.done
    }
    const attach = (files: readonly MarkedFile[]) => this.#attach(files)
    await this.#work((signal) => runCommand(text, { chat: this.#chat, signal, attach, leave }))
  }

  #attach(files: readonly MarkedFile[]): void {
    for (const { name } of files) this.#notice(`Attached to the next message: ${name}`)
    this.#files = [...this.#files, ...files]
  }

  async #runTurn(input: string | RunState, attachments: TurnOptions['attachments'] = []): Promise<void> {
    let run: Run<RunResult> | undefined
    const onLine = (line: EnteredLine) => {
      if (!run || line.text.trim() === '' || isCommand(line.text) || line.files.length > 0)
        return this.#editor.keep(line)
      this.#notice(`> ${line.text}`)
      run.send(line.text)
    }
    await this.#work(async (signal) => {
      await runTurn(input, this.#chat, {
        attachments,
        signal,
        decide: async (state) => (signal.aborted ? 'interrupt' : this.#decide(state)),
        onRun: (started) => {
          run = started
        },
        onUndelivered: (text) => {
          if (signal.aborted) this.#notice(`Not delivered: ${text}`)
          else this.#editor.keep({ text, files: [] })
        },
      })
    }, onLine)
  }

  async #decide(state: RunState): Promise<Decisions | Undecided> {
    const { agent, terminal } = this.#chat
    const decided = await decideCalls(state, { agent, terminal, editor: this.#editor })
    if (decided === 'closed') this.exitCode = exitCodes.pending
    if (decided === 'interrupt') this.#isInterrupted = true
    return decided
  }

  /** Ends an unfinished reply. Its finished parts stay in the conversation. */
  async #drop(state: RunState): Promise<void> {
    try {
      await runTurn(state, this.#chat, { signal: AbortSignal.abort() })
    } catch {
      // The run cannot be resumed. Its messages are kept, but its open calls are dropped.
      await this.#chat.session.discard(state)
      this.#notice('This agent cannot continue the last reply. Its messages are kept.')
    }
  }

  /** Runs work that Ctrl-C aborts. If the work fails, prints the error. */
  async #work(work: (signal: AbortSignal) => Promise<void>, line = this.#keep): Promise<void> {
    const controller = new AbortController()
    const interrupt = () => {
      this.#isInterrupted = true
      controller.abort(new Error('The reply was stopped.'))
    }
    const stopListening = this.#editor.listen({ line, interrupt })
    try {
      await work(controller.signal)
    } catch (error) {
      const { terminal, debug } = this.#chat
      terminal.writeLine(terminal.paint('bad', formatError(error, debug && !(error instanceof UsageError))))
    } finally {
      stopListening()
    }
  }

  readonly #keep = (line: EnteredLine): void => this.#editor.keep(line)

  /** Prompts until the user answers yes or no. On Ctrl-C or Ctrl-D, leaves the chat and returns false. */
  async #confirm(question: string): Promise<boolean> {
    for (;;) {
      this.#chat.terminal.startLine()
      const entered = await this.#editor.ask(question, { fresh: true })
      if (entered === 'closed' || !('text' in entered)) {
        this.exitCode = entered === 'closed' ? exitCodes.done : exitCodes.interrupted
        return false
      }
      if (/^(y|yes|n|no)$/i.test(entered.text.trim())) return /^y/i.test(entered.text.trim())
    }
  }

  /**
   * Handles Ctrl-C at the prompt. If the line contains text, discards it. On an empty line, a second Ctrl-C in a row
   * leaves the chat. A Ctrl-C that stopped a reply counts as the first.
   */
  #interrupt(discarded: boolean): void {
    if (this.#isInterrupted && !discarded) this.exitCode = exitCodes.interrupted
    else if (!discarded) this.#notice('Press Ctrl-C again to end the chat.')
    this.#isInterrupted = true
  }

  #notice(text: string): void {
    const { terminal } = this.#chat
    terminal.writeLine(terminal.paint('faint', sanitizeText(text)))
  }
}

const interrupted = 'The last reply was interrupted. Continuing may repeat the calls of its last step.'

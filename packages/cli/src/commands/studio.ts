import { spawn } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CommandLine, command } from '../args.js'
import { exitCodes, listenForInterrupt, UsageError } from '../exit-codes.js'
import { formatCount, formatDuration, formatError, formatSize, sanitizeText } from '../format.js'
import { importPackage, loadOptional } from '../optional-package.js'
import { openTerminal, type Terminal } from '../terminal.js'
import { contextOption } from './run.js'
import { loadService } from './service.js'

const flags = {
  port: {
    type: 'string',
    valueName: 'N',
    description: 'port to listen on (default 4200, or the next free one; 0 for any free one)',
  },
  open: { type: 'boolean', description: 'open the page in the browser' },
  data: {
    type: 'string',
    valueName: 'DIR',
    description: 'folder for runs (default .capstan/studio next to the nearest package.json)',
  },
  context: { type: 'string', valueName: 'JSON', description: 'context object for runs and calls' },
  local: { type: 'boolean', description: 'use the local service instead of all models' },
  'no-watch': { type: 'boolean', description: 'do not reload the file when it changes' },
  keep: { type: 'string', valueName: 'N', description: 'number of runs to keep (default 200)' },
  'allow-host': {
    type: 'string',
    valueName: 'NAME',
    multiple: true,
    description: 'accept this host name too, for forwarded ports',
  },
} as const

/** `capstan studio`: serves the studio until the user quits. With `--open`, opens its page in the browser. */
export const studio = command({
  name: 'studio',
  usage: '[FILE]',
  summary: "opens a local page to run a file's agents",
  details:
    'It can only be opened on this machine, and runs until Ctrl-C. Without a file, it shows the runs on disk.',
  positionals: { least: 0, most: 1 },
  flags,
  async run({ positionals: [file], flags }) {
    const terminal = openTerminal(flags['no-color'])
    const { startStudio } = await loadStudio()
    const work = listenForInterrupt()
    // Servers that do not need a key ignore this one.
    if (process.env.OPENAI_BASE_URL) process.env.OPENAI_API_KEY ||= 'none'
    const started = await startStudio({
      ...optionsOf(flags),
      ...(file === undefined ? {} : { file, worker: { file: workerFile() } }),
      loadService,
      log: (line) => terminal.writeLine(`capstan: ${formatError(line)}`),
      onOutput: (text) => process.stderr.write(sanitizeText(text)),
      onLoaded: (about) => terminal.writeLine(describeLoad(about)),
    })
    await introduce(started, file, terminal)
    if (flags.open) openInBrowser(started.url)
    const keys = listenForKeys(started, work.signal)
    await new Promise((resolve) => {
      work.signal.addEventListener('abort', resolve, { once: true })
      keys.ended.then(resolve)
    })
    keys.close()
    work.release()
    await started.close()
    return work.exitCode === exitCodes.terminated ? exitCodes.terminated : exitCodes.done
  },
})

type StudioModule = typeof import('@capstan/studio')
type Started = Awaited<ReturnType<StudioModule['startStudio']>>
type About = Awaited<ReturnType<Started['about']>>

/**
 * Loads the studio from next to this command or from the current folder. @throws Error with the install command if
 * there is none
 */
function loadStudio(): Promise<StudioModule> {
  const name = '@capstan/studio'
  const ways = [
    (): Promise<StudioModule> => import('@capstan/studio'),
    () => importPackage<StudioModule>(name, process.cwd()),
  ]
  return loadOptional(name, ways, `The studio is not installed. Install it: npm install --save-dev ${name}`)
}

function optionsOf({ port, data, context, local, keep, ...others }: CommandLine<typeof flags>['flags']) {
  const hosts = others['allow-host']
  return {
    ...(port === undefined ? {} : { port: toNumber('--port', port) }),
    ...(data === undefined ? {} : { data }),
    ...(local ? { local } : {}),
    ...(others['no-watch'] ? { watch: false } : {}),
    ...(keep === undefined ? {} : { keep: { runs: toNumber('--keep', keep) } }),
    ...(hosts ? { allowHosts: hosts } : {}),
    ...contextOption(context),
  }
}

function toNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`${name} must be a number, not "${text}".`)
}

/** Returns the path of the program that runs the agents in a separate process: the source file, or the compiled one. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isSource ? '../studio-worker.ts' : './studio-worker.js', import.meta.url))
}

async function introduce(started: Started, file: string | undefined, terminal: Terminal): Promise<void> {
  const { disk, service } = await started.about()
  const place = relative(process.cwd(), started.data) || '.'
  process.stdout.write(`Studio${file === undefined ? '' : ` of ${file}`}: ${started.url}\n`)
  const lines = [
    ...(service === 'local'
      ? ['No API key is set, so the local service replies. It follows rules; it is not a language model.']
      : process.env.OPENAI_API_KEY
        ? [`${sanitizeText(process.env.OPENAI_BASE_URL || 'https://api.openai.com/v1')} replies to models.`]
        : []),
    `Runs are kept in ${place} (${formatCount(disk.runs, 'run')}, ${formatSize(disk.bytes)}).`,
    ...(process.stdin.isTTY ? ['Press o to open, r to reload, q to quit'] : []),
  ]
  for (const line of lines) terminal.writeLine(line)
}

function describeLoad({ file = '', loaded, loadError, agents }: About): string {
  if (loadError) return `capstan: ${formatError(loadError.message)}`
  const names = agents.map(({ name }) => name).join(', ') || 'no agents'
  return `Loaded ${relative(process.cwd(), file)} in ${formatDuration(loaded?.ms ?? 0)}: ${names}`
}

/** Opens the page in the default browser. Ignores failures, because the link is also printed. */
function openInBrowser(url: string): void {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url]
  const child = spawn(program ?? '', args, { stdio: 'ignore', detached: true })
  // The program may be missing. The user can still open the printed link.
  child.on('error', () => {})
  child.unref()
}

interface Keys {
  /** Resolves when the user presses q, Ctrl-C or Ctrl-D. */
  readonly ended: Promise<void>
  close(): void
}

/** Listens for the keys o, r and q. Does nothing unless stdin is a terminal. */
function listenForKeys(started: Started, signal: AbortSignal): Keys {
  const { stdin } = process
  if (!stdin.isTTY || signal.aborted) return { ended: new Promise(() => {}), close() {} }
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const onKey = (key: string) => {
    if (key === 'o') openInBrowser(started.url)
    if (key === 'r') void started.reload()
    if (key === 'q' || key === '\u0003' || key === '\u0004') end()
  }
  stdin.setRawMode(true).setEncoding('utf8').resume().on('data', onKey)
  return {
    ended,
    close() {
      stdin.off('data', onKey).setRawMode(false).pause()
    },
  }
}

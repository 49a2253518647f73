import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { checkRules } from './chaos/chaos.js'
import { readScript } from './script.js'
import type { ServiceOptions } from './service-options.js'
import { type Upstream, type UpstreamEndpoint, upstreamEndpoints } from './upstream.js'

/** The output of `--help`. */
export const usage = `capstan-service: starts the local service, which needs no key and no network

  npx -p @capstan/service -p @capstan/speech capstan-service [options]

  --port N                 port to listen on (default 4100; 0 picks a free one)
  --host ADDRESS           host to listen on (default 127.0.0.1)
  --key KEY                key that clients must send (default: a random one)
  --no-key                 accept requests without a key; on a loopback address only
  --cors ORIGIN            give pages of this origin access; repeatable
  --workers N              worker threads for images and audio (default: cores - 1, 1 to 4)
  --queue N                requests that can wait for a thread (default 32)
  --models NAMES           accepted model names, separated by commas (default any)
  --strict                 reject unknown fields and values out of bounds
  --context-tokens N       context window of chat; longer prompts get a 400 (default no limit)
  --first-token-ms N       milliseconds until a chat reply starts (default 0)
  --tokens-per-second N    speed of chat replies after that (default unlimited)
  --testing                let requests from this machine send rules in x-capstan-rules
  --script FILE            scripted chat replies: rules in a JSON file
  --voice FOLDER           Piper or Kokoro voice for speech
  --recognizer FOLDER      Whisper or Moonshine model for transcription and translation
  --upstream URL           another server that handles chat
  --upstream-for NAMES     endpoints that it handles: some of ${upstreamEndpoints.join(',')}
  --upstream-key-env NAME  environment variable that contains its key
  --chaos FILE             fault injection: rules in a JSON file ([]: only by request header)
  -h, --help               show this help`

const flags = {
  port: { type: 'string', default: '4100' },
  host: { type: 'string' },
  key: { type: 'string' },
  'no-key': { type: 'boolean' },
  cors: { type: 'string', multiple: true },
  workers: { type: 'string' },
  queue: { type: 'string' },
  models: { type: 'string' },
  strict: { type: 'boolean' },
  'context-tokens': { type: 'string' },
  'first-token-ms': { type: 'string' },
  'tokens-per-second': { type: 'string' },
  testing: { type: 'boolean' },
  script: { type: 'string' },
  voice: { type: 'string' },
  recognizer: { type: 'string' },
  upstream: { type: 'string' },
  'upstream-for': { type: 'string' },
  'upstream-key-env': { type: 'string' },
  chaos: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof flags }>>['values']

/**
 * Parses a command line. Returns the options, `help` if help is requested, or an Error if the command line is invalid.
 */
export function readOptions(args: string[]): ServiceOptions | 'help' | Error {
  try {
    const { values } = parseArgs({ args, options: flags })
    if (values.help) return 'help'
    return {
      port: toNumber('port', values.port),
      workers: toNumber('workers', values.workers),
      queue: toNumber('queue', values.queue),
      host: values.host,
      apiKey: toKey(values),
      cors: values.cors,
      models: values.models === undefined || values.models === 'any' ? 'any' : values.models.split(','),
      strict: values.strict,
      testing: values.testing,
      contextTokens: toNumber('context-tokens', values['context-tokens']),
      pace: toPace(values),
      script: values.script === undefined ? undefined : readScript(values.script),
      voice: values.voice,
      recognizer: values.recognizer,
      upstream: toUpstream(values),
      chaos: readChaos(values.chaos),
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const isOfNode = String(Object(error).code).startsWith('ERR_PARSE_ARGS')
    // Node's message also has advice about positional arguments, which this command does not take.
    const text = isOfNode ? message.replace(/\.\s.*/s, '') : message
    return new Error(text.endsWith('.') ? text : `${text}.`)
  }
}

function toNumber<T extends string | undefined>(name: string, value: T): T extends string ? number : undefined
function toNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined || /^\d+$/.test(value)) return value === undefined ? undefined : Number(value)
  throw new Error(`--${name} must be a number, not "${value}".`)
}

function toKey({ key, 'no-key': none }: Flags): string | false | undefined {
  if (none && key !== undefined) throw new Error('Use --key or --no-key, not both.')
  return none ? false : key
}

function toPace(values: Flags): ServiceOptions['pace'] {
  const { 'first-token-ms': first, 'tokens-per-second': speed } = values
  if (first === undefined && speed === undefined) return undefined
  return {
    firstTokenMs: toNumber('first-token-ms', first),
    tokensPerSecond: toNumber('tokens-per-second', speed),
  }
}

function toUpstream(values: Flags): Upstream | undefined {
  const { upstream: url, 'upstream-for': names, 'upstream-key-env': variable } = values
  if (url === undefined) {
    if (names === undefined && variable === undefined) return undefined
    throw new Error('--upstream-for and --upstream-key-env require --upstream, the URL of the other server.')
  }
  const apiKey = variable === undefined ? undefined : process.env[variable]
  if (variable !== undefined && !apiKey) throw new Error(`The environment variable ${variable} is not set.`)
  // `checkUpstream` reports unknown names.
  const endpoints = names?.split(',') as UpstreamEndpoint[] | undefined
  return { url, apiKey, endpoints }
}

function readChaos(file: string | undefined): ServiceOptions['chaos'] {
  if (file === undefined) return undefined
  try {
    const rules: unknown = JSON.parse(readFileSync(file, 'utf8'))
    checkRules(rules)
    return rules
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`The chaos rules in ${file} cannot be used: ${reason}`, { cause })
  }
}

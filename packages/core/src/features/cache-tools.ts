import { abortable, reportFailure } from '../async.js'
import { canonicalJson, isRecord, isString, type Json, LruCache, sha256, tryJson } from '../json.js'
import { checkRequiredOption } from '../option-names.js'
import type { Middleware, RunView } from '../run/middleware.js'
import { toJson } from '../tools/render-result.js'
import type { RunningCall } from '../tools/tool.js'
import type { CallResult } from '../types/state.js'

/** Stores results as text. The model gets stored results unchanged, so only trusted programs may write to the store. */
export interface CacheStore {
  /** Returns the value that was stored under a key; undefined or null if there is none. */
  get(key: string): Promise<string | undefined | null>
  /** Stores a value. The value is not read after `ttlMs` milliseconds, so the store may then drop it. */
  set(key: string, value: string, ttlMs: number): Promise<unknown>
}

export interface CacheToolsOptions<Context = unknown> {
  /** How long a result is reused, in milliseconds, even if another tool has changed the data in the meantime. */
  readonly ttlMs: number
  /** Default: a store in memory with the 1000 most recently used results. */
  readonly store?: CacheStore
  /** The tools whose results are cached. Default: all tools with `effects: 'read'`. */
  readonly tools?: readonly string[]
  /**
   * Returns a key for the runs that may share results, for example the user id. Calls with the same key share results
   * across runs, and across processes that use the same store. Return undefined to skip the cache. Default: the run id,
   * so that runs share nothing.
   */
  key?(call: RunningCall, run: RunView<Context>): string | undefined
}

/**
 * Reuses the result of an earlier call if the tool, its definition and the arguments are the same, instead of running
 * the function. Errors, results with artifacts, and text read from artifacts (`read_artifact`) are not cached. If the
 * store fails, the function runs, and a process warning reports the failure. The default store loses its results in a
 * crash. A replayed run uses its recorded results, not the store.
 * @throws CapstanError `invalid_request` if `ttlMs` is missing, an option is unknown, or a value has the wrong type
 */
export function cacheTools<Context = unknown>(options: CacheToolsOptions<Context>): Middleware<Context> {
  const kinds = { ttlMs: 'a number of at least 0', store: true, tools: true, key: true } as const
  checkRequiredOption(options, kinds, { of: 'cacheTools', required: 'ttlMs' })
  const { ttlMs, store = memoryStore(), tools, key } = options
  return {
    name: 'cache-tools',
    async wrapTool(call, next, run) {
      const scope = key ? (['key', key(call, run)] as const) : (['run', run.runId] as const)
      const id = isCached(call, tools) ? await idOf(call, scope) : undefined
      if (id === undefined) return next()
      const known = await useStore(call, () => store.get(id))
      const hit = known ? readEntry(known, ttlMs) : undefined
      if (hit) {
        run.emit({ name: 'cache-tools', action: 'cache-hit', callId: call.callId })
        return hit
      }
      const outcome = await next()
      if (isCacheable(outcome)) await useStore(call, () => store.set(id, toEntry(outcome), ttlMs))
      return outcome
    },
  }
}

function memoryStore(): CacheStore {
  const entries = new LruCache(1000)
  return { get: async (key) => entries.get(key), set: async (key, value) => entries.set(key, value) }
}

/**
 * Whether a call's result may be cached. Excludes artifact text, which belongs to the run's own store, and calls that
 * do more than return a result: the final answer, and calls to tools with a middleware, such as handoffs.
 */
function isCached({ name, tool }: RunningCall, tools: readonly string[] | undefined): boolean {
  if (tool.reads || tool.endsRun || (tool.middleware && !tool.run)) return false
  return tools ? tools.includes(name) : tool.settings.effects === 'read'
}

/** Returns the store key for a call. Undefined if the call has no scope, or if JSON cannot represent its arguments. */
async function idOf(
  { name, tool, arguments: args }: RunningCall,
  scope: readonly ['key' | 'run', string | undefined],
): Promise<string | undefined> {
  if (!isString(scope[1])) return undefined
  try {
    return await sha256(canonicalJson([scope, name, tool.definition, toJson(args)]))
  } catch {
    return undefined
  }
}

/** Calls the store. If the store fails, the tool call continues. An aborted tool call does not wait for the store. */
async function useStore<T>({ signal }: RunningCall, use: () => Promise<T>): Promise<T | undefined> {
  try {
    return await abortable(signal, use())
  } catch (error) {
    if (!signal.aborted) reportFailure(error)
    return undefined
  }
}

/** Whether a result may be stored. For a background call, that is the actual result, not the immediate reply. */
function isCacheable({ status, content, artifacts = [], limit, background }: CallResult): boolean {
  return status === 'ok' && content !== '' && artifacts.length === 0 && limit === undefined && !background
}

/** Returns a result's stored form, without spending and duration, which belong to the original call. */
function toEntry({ content, result, taintedBy }: CallResult): string {
  return JSON.stringify({ at: Date.now(), content, result, taintedBy })
}

function readEntry(text: string, ttlMs: number): CallResult | undefined {
  const entry = tryJson(text)
  if (!isRecord(entry)) return undefined
  const { at, content, result, taintedBy } = entry
  if (typeof at !== 'number' || !isString(content) || Date.now() - at >= ttlMs) return undefined
  return {
    status: 'ok',
    content,
    ...(result === undefined ? {} : { result: result as Json }),
    ...(isString(taintedBy) ? { taintedBy } : {}),
    artifacts: [],
    ms: 0,
  }
}

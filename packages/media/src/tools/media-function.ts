import type { AnyTool } from '@capstan/core'
import * as z from 'zod/v4'
import { checkCallNames, isCall, type MediaOptions } from '../options.js'

/** A tool that programs can call directly, without a run. */
export interface Callable {
  call(args: never, options?: never): Promise<unknown>
}

/** The arguments of a direct call to a tool. */
type Arguments<T extends Callable> = Parameters<T['call']>[0]

/** The arguments of a call and the options of its tool in one object. */
export type CallInOneGo<T extends Callable> = Arguments<T> &
  Omit<MediaOptions, keyof Arguments<T>> & {
    /** Aborts the call, which then rejects with the signal's reason. Default: none. */
    readonly signal?: AbortSignal
  }

/**
 * A media tool as a function. If you pass a call's arguments, it calls the tool immediately. Otherwise it returns the
 * tool.
 */
export interface MediaFunction<T extends Callable> {
  /**
   * Calls the tool. Pass arguments, options and a signal in one object.
   * @throws CapstanError as the tool's `call` does
   */
  (given: CallInOneGo<T>): ReturnType<T['call']>
  /** Returns the tool. @throws CapstanError `invalid_request` immediately, for an invalid option */
  (options?: MediaOptions): T
}

/**
 * Returns a function that calls a tool or returns it. `names` contains the names of a call's arguments, with the
 * required one first. An object counts as a call if it contains that argument or a common alias for it.
 */
export function mediaFunction<T extends Callable>(
  names: readonly string[],
  create: (options: MediaOptions) => T,
): MediaFunction<T> {
  const [required = ''] = names
  return ((given: Readonly<Record<string, unknown>> = {}) => {
    if (!isCall(given, required)) return create(given)
    const { signal, ...rest } = given
    const isArgument = ([name]: [string, unknown]) => names.includes(name)
    const args = Object.fromEntries(Object.entries(rest).filter(isArgument))
    const options = Object.fromEntries(Object.entries(rest).filter((one) => !isArgument(one)))
    // An error in the options rejects the promise, as an error in the call does.
    return (async () => {
      checkCallNames(given, names)
      return create(options).call(args as never, { signal } as never)
    })()
  }) as MediaFunction<T>
}

/**
 * Defines a tool with additional fields. Models may set the fields in `offered`, and programs may set all fields in
 * `call`.
 */
export function withFields<Own extends z.ZodRawShape, Fields extends z.ZodRawShape, T extends AnyTool>(
  { own, fields, offered = [] }: { own: Own; fields: Fields; offered?: readonly string[] | undefined },
  define: (parameters: z.ZodObject<Own & Fields>) => T,
): T {
  const all = z.object({ ...own, ...fields })
  const chosen = Object.entries(fields).filter(([name]) => offered.includes(name))
  // The type contains all fields. A model's call lacks some of them, but all are optional.
  const shown = z.object({ ...own, ...Object.fromEntries(chosen) }) as unknown as z.ZodObject<Own & Fields>
  const { call } = define(all as unknown as z.ZodObject<Own & Fields>)
  return { ...define(shown), call }
}

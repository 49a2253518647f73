/** Whether `fetch` is Node's own, and sends as it does when nobody told it otherwise. */
export function isUsualFetch(): boolean {
  const dispatcher = (globalThis as { readonly [name: symbol]: object | undefined })[
    Symbol.for('undici.globalDispatcher.1')
  ]
  // Who put another one in its place may have done so before us: its own text tells.
  return (
    String(globalThis.fetch).includes('internal/deps/undici') &&
    (dispatcher === undefined || isPlain(dispatcher))
  )
}

/** An agent without certificates, lookups, times or a way of one's own: nothing else tells the default from another. */
function isPlain(dispatcher: object): boolean {
  const held = (name: string) => {
    const symbol = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === name)
    return symbol && (dispatcher as { readonly [name: symbol]: unknown })[symbol]
  }
  const [options, factory] = [held('options'), held('factory')]
  const { dispatch } = dispatcher as { readonly dispatch?: unknown }
  return (
    dispatcher.constructor.name === 'Agent' &&
    dispatch === dispatcher.constructor.prototype.dispatch &&
    typeof factory === 'function' &&
    factory.name === 'defaultFactory' &&
    typeof options === 'object' &&
    Object.values(options ?? {}).every((value) => value === undefined || value === Number.POSITIVE_INFINITY)
  )
}

/** The program's file name in stack traces. */
export const programFile = 'program'

/**
 * Runs in the engine before the program. Creates `tools` and `console`, and removes everything nondeterministic. The
 * host gets functions that take and return JSON. The engine gets no functions from the host. Built-in objects are
 * frozen, so that programs cannot change what other code reads from them.
 */
export const prelude = `(() => {
  'use strict'
  const { parse, stringify } = JSON
  const { create, freeze, defineProperty } = Object
  const { isArray } = Array
  const { apply, construct, ownKeys, getOwnPropertyDescriptor: getOwn, getPrototypeOf } = Reflect
  const { slice } = String.prototype
  const Native = Promise
  const { then: nativeThen } = Promise.prototype
  const [Err, TypeErr, Text, Weak] = [Error, TypeError, String, WeakSet]
  const { has, add } = WeakSet.prototype

  // Lists are objects without a prototype, so that setters of a changed Array.prototype do not see them.
  const listOf = () => ({ __proto__: null, length: 0 })
  // If memory runs out, the value is not stored, and the length does not change either.
  const append = (list, value) => { list[list.length] = value; list.length += 1 }

  const handled = new Weak()
  let rejected = listOf()
  /** The number of calls so far. */
  let opened = 0
  /** If the promise is rejected and nothing handles that, the program ends. */
  const watch = (promise) => {
    apply(nativeThen, promise, [undefined, (error) => append(rejected, { __proto__: null, promise, error, made: opened })])
    return promise
  }
  const Watched = function Promise(executor) {
    if (!new.target) throw new TypeErr('Promise needs new')
    return watch(construct(Native, [executor], new.target))
  }
  // Symbol.species is left out, so that the engine's own \`then\` makes promises that are not watched.
  for (const key of ownKeys(Native))
    if (typeof key === 'string' && !['length', 'name', 'prototype'].includes(key)) defineProperty(Watched, key, getOwn(Native, key))
  Watched.prototype = Native.prototype
  const own = {
    // With another constructor than the engine's, \`await\` calls \`then\` too.
    constructor: Watched,
    then(onFulfilled, onRejected) {
      apply(add, handled, [this])
      return watch(apply(nativeThen, this, [onFulfilled, onRejected]))
    },
    // The engine's own one needs Symbol.species.
    finally(last) {
      if (typeof last !== 'function') return this.then(last, last)
      const wait = () => new Watched((resolve) => resolve(last()))
      return this.then((value) => wait().then(() => value), (error) => wait().then(() => { throw error }))
    },
  }
  for (const key of ownKeys(own)) defineProperty(Native.prototype, key, { value: own[key] })
  defineProperty(globalThis, 'Promise', { value: Watched })
  const toJson = (type, value) => defineProperty(type.prototype, 'toJSON', { value, writable: true, configurable: true })
  toJson(Promise, () => { throw new TypeErr('it contains a promise. Use await') })
  // Without these, JSON would contain empty objects.
  toJson(Map, function toJSON() { return [...this] })
  toJson(Set, function toJSON() { return [...this] })

  const noClock = function Date() { throw new TypeErr('Programs have no clock and no Date. Take times from tools or from your messages') }
  defineProperty(globalThis, 'Date', { value: noClock, writable: true, configurable: true })
  noClock.now = noClock.parse = noClock.UTC = noClock
  for (const name of ['WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'WeakSet']) delete globalThis[name]
  globalThis.WeakSet = Weak

  let random
  defineProperty(Math, 'random', { value: () => random() })
  // Removed so that a key from a tool's text never accesses a built-in object.
  for (const key of ['__proto__', '__defineGetter__', '__defineSetter__', 'constructor']) delete Object.prototype[key]
  // Also prevents such a key from accessing a function that runs text as code.
  for (const one of [function () {}, function* () {}, async function () {}, async function* () {}]) delete getPrototypeOf(one).constructor
  for (const proto of [Object.prototype, Err.prototype, ...nativeErrors()]) keepAssignable(proto)
  freezeAll()
  function nativeErrors() {
    return ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'InternalError', 'AggregateError']
      .map((name) => globalThis[name]?.prototype).filter(Boolean)
  }
  /** Lets programs assign fields that a frozen prototype also has. */
  function keepAssignable(proto) {
    for (const key of ownKeys(proto)) {
      const { value, configurable, get } = getOwn(proto, key)
      if (get || !configurable || typeof key !== 'string') continue
      defineProperty(proto, key, {
        get() { return value },
        set(changed) {
          if (this === proto || this === undefined || this === null) return
          defineProperty(this, key, { value: changed, writable: true, enumerable: true, configurable: true })
        },
      })
    }
  }
  function freezeAll() {
    const seen = new Set([globalThis])
    const iterators = [[].values(), new Map().values(), new Set().values(), ''.matchAll(/a/g), ''[Symbol.iterator](), [].values().map(() => 0), Iterator.from({ next() {} })]
    const functions = [function* () {}, async function () {}, async function* () {}]
    const open = [...iterators, ...functions]
    for (const key of ownKeys(globalThis)) {
      if (key === 'tools') continue
      const { value } = getOwn(globalThis, key)
      open.push(value)
      if (key !== 'globalThis') defineProperty(globalThis, key, { writable: false, configurable: false })
    }
    while (open.length > 0) {
      const one = open.pop()
      if ((typeof one !== 'object' && typeof one !== 'function') || one === null || seen.has(one)) continue
      seen.add(one)
      if (typeof one === 'function' && !getOwn(one, 'prototype') && getPrototypeOf(one) === Function.prototype) {
        // A method has only a name and a length, which are primitive values.
        freeze(one)
        continue
      }
      open.push(getPrototypeOf(one))
      for (const key of ownKeys(one)) {
        const { value, get, set } = getOwn(one, key)
        open.push(value, get, set)
      }
      freeze(one)
    }
  }

  return (config) => {
    const { names, refused, seed, bounds } = parse(config)
    let bound
    let boundError
    const exceed = (name, message) => {
      const error = new Err(message)
      bound ??= name
      boundError ??= error
      return error
    }

    const open = listOf()
    let fresh = listOf()
    let bytes = 0
    /**
     * The promise that all calls return after a bound has been exceeded, so that many calls cannot use up the memory.
     */
    let over
    const callTool = (name, args, site) => {
      if (over) return over
      const at = new Err()
      const fail = (error) => new Watched((_, reject) => reject(error))
      let text
      try {
        text = stringify(args === undefined ? {} : args)
      } catch (error) {
        return fail(new TypeErr('tools.' + name + ' got arguments that are not JSON: ' + messageOf(error)))
      }
      if (text === undefined || text[0] !== '{') return fail(new TypeErr('tools.' + name + ' takes one object of arguments'))
      bytes += text.length
      if (bytes > maxArguments) return over = fail(exceed('output', 'The arguments of all calls have more than ' + maxArguments + ' characters'))
      if (open.length >= bounds.calls) return over = fail(exceed('calls', 'The program makes more than ' + bounds.calls + ' calls'))
      let made
      const promise = new Watched((resolve, reject) => { made = { __proto__: null, name, at, resolve, reject } })
      append(open, made)
      opened = open.length
      append(fresh, { __proto__: null, name, text, site })
      return promise
    }
    const maxArguments = 1048576

    const known = names.slice(0, 30).join(', ') + (names.length > 30 ? ', ...' : '')
    const unknown = (name) => () => {
      throw new TypeErr('Programs have no tool "' + name + '". Tools: ' + known)
    }
    const all = { __proto__: null }
    for (const name of names) all[name] = true
    /** Returns the tools object for one call site. Creates its functions on access, because most are never used. */
    const toolsAt = (site) => {
      const own = { __proto__: null }
      const make = (name) => {
        if (name in all) defineProperty(own, name, { enumerable: true, value: freeze((args) => callTool(name, args, site)) })
        else if (name in refused) defineProperty(own, name, { value: freeze(() => { throw new TypeErr(refused[name]) }) })
        return own[name]
      }
      const makeAll = () => { for (const name of names) if (!(name in own)) make(name) }
      return new Proxy(own, {
        get: (target, key) => (typeof key !== 'string' || key in target ? target[key] : make(key) ?? (key === 'then' || key === 'toJSON' ? undefined : unknown(key))),
        has: (target, key) => key in target || make(key) !== undefined,
        ownKeys: (target) => { makeAll(); return ownKeys(target) },
        getOwnPropertyDescriptor: (target, key) => { if (typeof key === 'string' && !(key in target)) make(key); return getOwn(target, key) },
        set: () => false,
        defineProperty: () => false,
        deleteProperty: () => false,
        preventExtensions: () => false,
        setPrototypeOf: () => false,
      })
    }

    const lines = listOf()
    let written = 0
    let dropped = 0
    const messageOf = (error) => {
      try { return error instanceof Err ? Text(error.message) : error === null ? 'null' : show(error) } catch { return 'an error without a text' }
    }
    const show = (value) => {
      if (typeof value !== 'object') return Text(value)
      if (value instanceof Err) return Text(value.name) + ': ' + messageOf(value)
      try { return stringify(value) ?? Text(value) } catch { try { return Text(value) } catch { return '[object]' } }
    }
    const log = (...values) => {
      if (written >= bounds.output) { dropped += 1; return }
      let line = ''
      for (let at = 0; at < values.length; at++) line += (at > 0 ? ' ' : '') + show(values[at])
      line = apply(slice, line, [0, bounds.output - written])
      written += line.length + 1
      append(lines, line)
    }
    const console = freeze({ log: freeze(log), info: log, warn: log, error: log, debug: log })

    let [a, b, c, d] = seed
    random = () => {
      const t = (a + b + d) | 0
      d = (d + 1) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (c << 21) | (c >>> 11)
      c = (c + t) | 0
      return (t >>> 0) / 4294967296
    }
    for (let warm = 0; warm < 12; warm++) random()
    for (const [name, value] of [['tools', toolsAt(-1)], ['console', console]])
      defineProperty(globalThis, name, { value, writable: true, configurable: true })
    const describe = (error) => {
      const told = { __proto__: null, name: 'Error', message: messageOf(error), stack: '' }
      try { if (error instanceof Err) { told.name = Text(error.name); told.stack = Text(error.stack) } } catch {}
      for (const key of ['name', 'message', 'stack']) told[key] = apply(slice, told[key], [0, 4000])
      return told
    }
    /** Returns the call stack as text. */
    const where = () => Text(new Err().stack)
    let done
    let returned = ''
    const finish = (value) => {
      try {
        const text = stringify(value)
        done = text === undefined ? { __proto__: null } : text.length <= bounds.output ? { __proto__: null, value: text }
          : { __proto__: null, bound: 'output', error: { ...describe(new Err('The returned value has ' + text.length + ' characters as JSON, of at most ' + bounds.output + '. Return less')), __proto__: null, stack: returned } }
      } catch (error) {
        done = { __proto__: null, error: { ...describe(new TypeErr('The returned value is not JSON: ' + messageOf(error))), __proto__: null, stack: returned } }
      }
    }
    const start = (main, sites) => {
      const given = { __proto__: null, watch, out: (value) => { returned = where(); return value } }
      for (let site = 0; site < sites; site++) given[site] = toolsAt(site)
      apply(nativeThen, main(freeze(given)), [finish, (error) => { done = { __proto__: null, error: describe(error) } }])
    }
    const settle = (text) => {
      const results = parse(text)
      const from = open.length - results.length
      for (let at = 0; at < results.length; at++) {
        const { name, at: place, resolve, reject } = open[from + at]
        const { ok, value, status, message } = results[at]
        open[from + at] = undefined
        if (ok) { resolve(value); continue }
        const error = new Err(message)
        defineProperty(error, 'name', { value: 'ToolError', configurable: true, writable: true })
        defineProperty(error, 'stack', { value: place.stack, configurable: true, writable: true })
        error.tool = name
        error.status = status
        reject(error)
      }
    }
    const look = () => {
      const calls = fresh
      fresh = listOf()
      let failure
      const later = listOf()
      for (let at = 0; at < rejected.length && !failure; at++) {
        const one = rejected[at]
        if (apply(has, handled, [one.promise])) continue
        // Calls that were made before the rejection run first, because the program may handle the rejection after them.
        if (one.made > opened - calls.length) append(later, one)
        else failure = describe(one.error)
      }
      rejected = later
      let made = ''
      for (let at = 0; at < calls.length; at++)
        made += (at > 0 ? ',' : '') + record(['name', 'arguments'], { name: calls[at].name, arguments: calls[at].text }, ',"site":' + calls[at].site)
      return '{"calls":[' + made + ']' + field('done', done && '{"is":true' + field('value', done.value !== undefined && stringify(done.value)) +
        field('error', told(done.error)) + field('bound', done.bound && stringify(done.bound)) + '}') +
        field('failure', told(failure)) + field('bound', bound && stringify(bound)) + field('boundError', boundError && told(describe(boundError))) + '}'
    }
    // Changed prototypes could give objects and arrays a toJSON, so only strings are converted to JSON here.
    const record = (keys, texts, more = '') => {
      let text = ''
      for (let at = 0; at < keys.length; at++) text += (at > 0 ? ',' : '') + stringify(keys[at]) + ':' + stringify(texts[keys[at]])
      return '{' + text + more + '}'
    }
    const field = (name, text) => (text ? ',"' + name + '":' + text : '')
    const told = (error) => error && record(['name', 'message', 'stack'], error)
    const output = () => {
      let text = ''
      for (let at = 0; at < lines.length; at++) text += (at > 0 ? ',' : '') + stringify(lines[at])
      if (dropped > 0) text += ',' + stringify('... ' + dropped + ' more lines: console output is bounded at ' + bounds.output + ' characters.')
      return '[' + text + ']'
    }
    return { start, settle, look, output, where }
  }
})()`

/** Programs in which an untrusted result decides of a call by a rule of the language that is seldom used. */
export const subtlePrograms: Readonly<Record<string, string>> = {
  'a prototype by a computed key': `const p = await tools.page({}); const k = 'proto' + 'type'; function F() {}
F[k].v = p.s; await tools.send({ x: new F().v })`,
  'the prototype of a class by a computed key': `const p = await tools.page({}); const k = 'proto' + 'type'; class F {}
F[k].v = p.s; await tools.send({ x: new F().v })`,
  'a conversion that Object.fromEntries added': `const p = await tools.page({}); let n = 0; const o = Object.fromEntries([['toString', () => { n++; return 'x' }]])
if (p.b) \`\${o}\`; await tools.send({ x: n })`,
  'a promise that Object.fromEntries made': `const p = await tools.page({}); let n = 0; const o = Object.fromEntries([['then', (f) => { n++; f(1) }]])
if (p.b) await o; await tools.send({ x: n })`,
  'a conversion that a reviver added': `const p = await tools.page({}); let n = 0; const o = JSON.parse('{"toString":1}', (k, v) => k ? () => { n++; return 'x' } : v)
if (p.b) \`\${o}\`; await tools.send({ x: n })`,
  'a conversion under a computed name in a class': `const p = await tools.page({}); let n = 0; const k = 'toString'; class A { [k]() { n++; return 'x' } }
const a = new A(); if (p.b) \`\${a}\`; await tools.send({ x: n })`,
  'a conversion in a field of a class': `const p = await tools.page({}); let n = 0; const k = 'toString'; class A { [k] = () => { n++; return 'x' } }
const a = new A(); if (p.b) \`\${a}\`; await tools.send({ x: n })`,
  'an error of the engine in a new promise': `const p = await tools.page({}); const q = new Promise((done) => { p.b && null.x; done() }); let x = 0
try { await q; x = 1 } catch { } await tools.send({ x })`,
  'elements that a length removes': `const p = await tools.page({}); const a = ['v']; if (p.b) a.length = 0; await tools.send({ x: a[0] ?? null })`,
  'an object that is frozen': `const p = await tools.page({}); const o = { v: 1 }; if (p.b) Object.freeze(o); o.v = 2; await tools.send({ x: o.v })`,
  'an object that is chosen and frozen': `const p = await tools.page({}); const o = { v: 1 }; const q = { v: 1 }; Object.freeze(p.b ? o : q); o.v = 2; await tools.send({ x: o.v })`,
  'a class that extends Promise': `const p = await tools.page({}); let n = 0; class P extends Promise { constructor(f) { super(f); n++ } }
const q = new P((d) => d()); if (p.b) { await q; new P((d) => d()) } await tools.send({ x: n })`,
  'new.target': `const p = await tools.page({}); class A { static v = 0; constructor() { new.target.v = p.s } } new A(); await tools.send({ x: A.v })`,
  'a variable that `this` has': `const p = await tools.page({}); x = 1; function f() { this.x = p.s } f(); await tools.send({ x })`,
  '`this` of two functions': `const p = await tools.page({}); function f() { this.v = p.s } function g() { return this.v } f(); await tools.send({ x: g() })`,
  '`this` of callbacks': `const p = await tools.page({}); Array.from([1], function () { this.v = p.s }); const [x] = [1].map(function () { return this.v }); await tools.send({ x })`,
  '`this` of callbacks with an argument for it': `const p = await tools.page({}); [1].map(function () { this.v = p.s }, undefined); const [x] = [1].map(function () { return this.v }, null); await tools.send({ x })`,
  'a name of the engine that `this` has': `const p = await tools.page({}); let n = 0; const g = (function () { return this })(); const o = new g.Proxy({}, { get: () => { n++ } })
if (p.b) o.x; await tools.send({ x: n })`,
  'a key behind an optional member': `const p = await tools.page({}); let x = 0; p.o.z?.length[x++]; await tools.send({ x })`,
  'a deleted key behind an optional member': `const p = await tools.page({}); let x = 0; delete p.o.z?.length[x++]; await tools.send({ x })`,
  'an iterator that is spread': `const p = await tools.page({}); const it = ['a', 'b'].values(); if (p.b) [...it]; await tools.send({ x: [...it] })`,
  'an iterator that a loop leaves': `const p = await tools.page({}); const it = ['a', 'b'].keys(); for (const y of it) { if (p.b) break } await tools.send({ x: [...it] })`,
  'an iterator in a pattern': `const p = await tools.page({}); const it = new Map([['a', 1], ['b', 2]]).entries(); if (p.b) { const [a] = it } await tools.send({ x: [...it] })`,
  'an iterator of a call': `const p = await tools.page({}); const k = ['a', 'b']; const it = k.values.call(k); if (p.b) { for (const a of it) break } await tools.send({ x: [...it] })`,
  'an iterator as arguments': `const p = await tools.page({}); const k = ['a', 'b']; const it = k.entries(); const f = (...y) => 1; if (p.b) f(...it); await tools.send({ x: [...it] })`,
  'an iterator in the rest of a pattern': `const p = await tools.page({}); const k = ['a', 'b']; const it = k.entries(); if (p.b) { var [...q] = it } await tools.send({ x: [...it] })`,
  'an iterator of matches': `const p = await tools.page({}); const it = 'abc'.matchAll(/./g); if (p.b) [...it]; await tools.send({ x: [...it].length })`,
  'an iterator of promises': `const p = await tools.page({}); const it = ['a', 'b'].values(); if (p.b) await Promise.all(it); await tools.send({ x: [...it] })`,
  'an async function that returns a promise or not': `const p = await tools.page({}); let x = 0; const q = Promise.resolve(1); const f = async () => p.b ? q : 1
const a = (async () => { await f(); x = 1 })(); const b = (async () => { await null; await null; await null; await tools.send({ x }) })()
await Promise.all([a, b])`,
  'an object that a promise is rejected with': `const p = await tools.page({}); const o = { v: p.s }; const f = async () => { throw o }; await f().catch((e) => tools.send({ x: e.v }))`,
  'an object as the reason of a promise': `const p = await tools.page({}); const o = { v: p.s }; const f = async () => { throw o }; const [y] = await Promise.allSettled([f()]); await tools.send({ x: y.reason.v })`,
  'an object that is caught and changed': `const p = await tools.page({}); const o = { v: 1 }; const q = new Promise((_, no) => no(o)); try { await q } catch (e) { e.v = p.s } await tools.send({ x: o.v })`,
  'an object that a resolver rejects with': `const p = await tools.page({}); const o = { v: 1 }; const w = Promise.withResolvers(); w.reject(o); try { await w.promise } catch (e) { e.v = p.s } await tools.send({ x: o.v })`,
  'errors of an error': `const p = await tools.page({}); await tools.send({ x: new AggregateError([p.s]).errors[0] })`,
  'a constructor that returns an object': `const p = await tools.page({}); const o = { v: 1 }; class A { constructor() { return o } } new A().v = p.s; await tools.send({ x: o.v })`,
  'a constructor above that returns an object': `const p = await tools.page({}); const o = { v: 1 }; class A { constructor() { return o } } class B extends A { constructor() { super(); this.v = p.s } } new B(); await tools.send({ x: o.v })`,
  'a list of the program that a function reads later': `const p = await tools.page({}); const out = []
const job = (async (list) => { for (let i = 0; i < 4; i++) await null; await tools.send({ x: [...list] }) })(out)
if (p.b) for (let i = 0; i < 9; i++) await null
out.push(1); await job`,
  'a list of the program that a function joins later': `const p = await tools.page({}); const out = []
const job = (async (list) => { for (let i = 0; i < 4; i++) await null; await tools.send({ x: list.join() }) })(out)
if (p.b) for (let i = 0; i < 9; i++) await null
out.push(1); await job`,
  'keys of the program that a function reads later': `const p = await tools.page({}); const out = {}
const job = (async (list) => { for (let i = 0; i < 4; i++) await null; await tools.send({ x: Object.keys(list) }) })(out)
if (p.b) for (let i = 0; i < 9; i++) await null
out.a = 1; await job`,
  'a function that a block declares': `const p = await tools.page({}); if (p.b) { function f() { return 1 } } await tools.send({ x: typeof f })`,
  'a field that counts': `const p = await tools.page({}); let n = 0; class A { v = n++ } if (p.b) new A(); await tools.send({ n })`,
  'a field of the class above that counts': `const p = await tools.page({}); let n = 0; class A { v = n++ } class B extends A { } if (p.b) new B(); await tools.send({ n })`,
  'a field that throws': `const p = await tools.page({}); let x = 0; class A { v = p.b ? null.x : 1 } try { new A(); x = 1 } catch { } await tools.send({ x })`,
  'a function by a computed key for Array.from': `const p = await tools.page({}); let n = 0; const o = { a: () => { n++ }, b: () => { n += 2 } }; Array.from([1], o[p.b ? 'a' : 'b']); await tools.send({ x: n })`,
}

import { Socket } from 'node:net'

/** No packet leaves this machine; who tries is noted. */
export function keepLocal(note: (host: string) => void): void {
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const [first] = (Array.isArray(args[0]) ? args[0] : args) as { host?: string; path?: string }[]
    const host = first?.host ?? 'localhost'
    if (first?.path || /^(localhost|127\.|::1)/.test(host)) return connect.apply(this, args as never)
    note(host)
    this.destroy(Object.assign(new Error(`connect ECONNREFUSED ${host}`), { code: 'ECONNREFUSED' }))
    return this
  } as Socket['connect']
}

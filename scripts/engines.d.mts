export interface Restate {
  readonly ingress: string
  readonly admin: string
  restart(): Promise<void>
  stop(): Promise<void>
}

export function node24(): string | undefined

export function startRestate(): Promise<Restate | undefined>

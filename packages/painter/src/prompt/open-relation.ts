import type { Placement, Relation } from './request.js'

/** A thing and where it belongs. */
export interface Placed {
  readonly subject: number
  readonly placement: Placement
}

interface Open {
  readonly relation: Relation
  readonly word: string
  /** The thing that is placed; when the relation comes first ("on the table is a cat"), the one after its objects. */
  readonly subject: number | undefined
  readonly objects: number[]
  /** How many single things the objects are. */
  total: number
}

/** The relation that was read last, until the things at both its ends are known. */
export class OpenRelation {
  private open: Open | undefined

  /** `subject` is the thing read last in this sentence, if there is one. */
  begin(relation: Relation, word: string, subject: number | undefined): void {
    this.open = { relation, word, subject, objects: [], total: 0 }
  }

  /** A thing was read, `count` single ones: gives what is placed by now, with the relation's word. */
  meet(thing: number, count: number): (Placed & { readonly word: string }) | undefined {
    const { open } = this
    if (!open || thing === open.subject) return undefined
    const { relation, word } = open
    const enough = relation === 'between' ? 2 : 1
    let subject = open.subject
    if (open.total < enough) {
      open.objects.push(thing)
      open.total += count
      if (open.total < enough) return undefined
    } else subject = thing
    if (subject === undefined) return undefined
    this.open = undefined
    return { subject, word, placement: { relation, to: open.objects } }
  }

  /** Something else came that a relation may be about: "on a sunny day". */
  drop(): void {
    this.open = undefined
  }

  /** A comma came: only a relation that has its objects waits on. */
  pause(): void {
    if (this.open?.objects.length === 0) this.open = undefined
  }
}

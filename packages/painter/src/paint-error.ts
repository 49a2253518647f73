export type PaintErrorCode = 'invalid_image' | 'missing_mask' | 'mask_size_mismatch' | 'empty_mask'

/** An image, a mask or an edit that the painter rejects, with the fields of the HTTP error that reports it. */
export class PaintError extends Error {
  override readonly name = 'PaintError'
  readonly status = 400

  constructor(
    readonly code: PaintErrorCode,
    message: string,
    /** The invalid request field. */
    readonly param: string,
  ) {
    super(message)
  }
}

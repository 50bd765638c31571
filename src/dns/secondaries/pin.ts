// Pins of certificates: the SHA-256 of a public key (SubjectPublicKeyInfo) in base64, as in RFC 7858 section 4.2. A
// renewed certificate with the same key keeps its pin. Pure.

/** Knot accepts so many for one peer: those of two servers, each with its next key. */
export const MAX_PINS = 4;

/** Prints the pin of a certificate in PEM. */
export const PIN_COMMAND =
  'openssl x509 -in tls.crt -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64';

const FORM = /^[A-Za-z0-9+/]{43}=$/;

/**
 * The pins, each once.
 * @throws Error that says what would be accepted, if one has another form or there are more than MAX_PINS
 */
export function checkedPins(pins: readonly string[]): string[] {
  for (const pin of pins) {
    // The last digit holds four bits, so others would be a second name of the same pin.
    if (FORM.test(pin) && Buffer.from(pin, 'base64').toString('base64') === pin) continue;
    throw new Error(
      `the pin ${JSON.stringify(pin)} must be the SHA-256 of a certificate's public key in base64, 44 characters with ` +
        `= at the end; this prints it: ${PIN_COMMAND}`,
    );
  }
  const distinctPins = [...new Set(pins)];
  if (distinctPins.length > MAX_PINS)
    throw new Error(`there are ${distinctPins.length} pins, and at most ${MAX_PINS} are possible`);
  return distinctPins;
}

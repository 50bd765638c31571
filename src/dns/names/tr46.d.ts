// The part of tr46's interface that this room uses; the package ships no types.
declare module 'tr46' {
  interface ToASCIIOptions {
    checkBidi?: boolean;
    checkHyphens?: boolean;
    checkJoiners?: boolean;
    transitionalProcessing?: boolean;
    useSTD3ASCIIRules?: boolean;
    verifyDNSLength?: boolean;
  }
  const tr46: { toASCII(domainName: string, options?: ToASCIIOptions): string | null };
  export default tr46;
}

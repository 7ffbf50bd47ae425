"""What the server lets in and out, beneath the pages: addresses, uploads, a browser's messages and the headers of answers."""

/* Criterion shows how texts differ by libgit2, and this one, in the process of each test, reads all certificates that
 * the machine trusts: a quarter of what most tests take. No test asks another host, so there are none to read. */
int mbedtls_x509_crt_parse_file(void *chain, const char *path);
int mbedtls_x509_crt_parse_path(void *chain, const char *path);

int mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
    (void)chain, (void)path;
    return 0;
}

int mbedtls_x509_crt_parse_path(void *chain, const char *path)
{
    return mbedtls_x509_crt_parse_file(chain, path);
}

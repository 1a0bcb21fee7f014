#include "names/short_name.h"
#include "test.h"

/* Names as profilers print them: PyTorch, Thrust, CUB, cuBLAS, CUTLASS, Triton, XLA, CuPy. Some are from libiberty,
 * others from NVIDIA's tools, which print (int)4 for 4. */
/* clang-format off */
static const struct {
    const char *whole, *name;
} names[] = {
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
     "vectorized_elementwise_kernel<4,CUDAFunctor_add<float>~39c9"},
    {"void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>, "
     "std::array<char *, (unsigned long)3>>(int, T2, T3)",
     "vectorized_elementwise_kernel<4,CUDAFunctor_add<float>~14fa"},
    {"void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
     "vectorized_elementwise_kernel<8,CUDAFunctor_add<BFloat16>~9307"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
     "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
     "vectorized_elementwise_kernel<4,FillFunctor<float>,Array~8cc9"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
     "namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() "
     "const::{lambda()#6}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, "
     "at::native::(anonymous namespace)::silu_kernel(at::TensorIteratorBase&))",
     "vectorized_elementwise_kernel<4,silu_kernel.lambda1.lambda6~5b48"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, std::array<char*, "
     "1ul> >(int, at::native::FillFunctor<int>, std::array<char*, 1ul>)",
     "vectorized_elementwise_kernel<4,FillFunctor<int>,array~8cfd"},
    {"void "
     "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)"
     "::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, "
     "std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, "
     "unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int)",
     "unrolled_elementwise_kernel<direct_copy_kernel_cuda.lambda3~6ff9"},
    {"void "
     "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase "
     "&)::[lambda() (instance 3)]::operator ()() const::[lambda() (instance 7)]::operator ()() "
     "const::[lambda(float) (instance 1)], std::array<char *, (unsigned long)2>>(int)",
     "unrolled_elementwise_kernel<direct_copy_kernel_cuda.lambda3~907b"},
    {"void at::native::elementwise_kernel<128, 2, "
     "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, "
     "c10::BFloat16, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, "
     "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
     "at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1}>(int, int)",
     "elementwise_kernel<128,2,gpu_kernel_impl_nocast~5bd6"},
    {"void at::native::elementwise_kernel<(int)128, (int)2, void "
     "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase "
     "&)::[lambda() (instance 3)]>(at::TensorIteratorBase &)::[lambda(int) (instance 1)]>(int, T3)",
     "elementwise_kernel<128,2,gpu_kernel_impl_nocast~3198"},
    {"void at::native::index_elementwise_kernel<128, 4, "
     "at::native::gpu_index_kernel<at::native::index_kernel_impl<at::native::OpaqueType<2> "
     ">(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>)::{lambda(char*, char const*, "
     "long)#1}>(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>)::{lambda(int)#1}>(long)",
     "index_elementwise_kernel<128,4,gpu_index_kernel~6358"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, "
     "float, float, float>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float, "
     "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4>)",
     "reduce_kernel<512,1,ReduceOp<float,MeanOps<float,float~dce0"},
    {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
     "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
     "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
     "c10::BFloat16, 4, 8> >(at::native::ReduceOp<c10::BFloat16>)",
     "reduce_kernel<128,4,ReduceOp<BFloat16,func_wrapper_t~714d"},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>(int, "
     "float, float const*, float const*, float const*, float*, float*, float*)",
     "vectorized_layer_norm_kernel<float,float,false>"},
    {"void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float, float, false>(long, float, "
     "float const*, float*, float*)",
     "RowwiseMomentsCUDAKernel<float,float,false>"},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 128, 1>(float*, "
     "at::native::(anonymous namespace)::CatArrInputTensorMetadata<float, unsigned int, 128, 1>, "
     "at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)",
     "CatArrayBatchedCopy<float,uint,3,128,1>"},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<at::native::(anonymous "
     "namespace)::OpaqueType<2u>, unsigned int, 2, 128, 1>(at::native::(anonymous "
     "namespace)::OpaqueType<2u>*) [clone .kd]",
     "CatArrayBatchedCopy_contig<OpaqueType<2>,uint,2,128,1>"},
    {"void at::native::(anonymous namespace)::upsample_nearest2d_out_frame<c10::BFloat16, "
     "&at::native::nearest_neighbor_exact_compute_source_index>(c10::BFloat16 const*, c10::BFloat16*, "
     "unsigned long)",
     "upsample_nearest2d_out_frame<BFloat16~2374"},
    {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, "
     "long>(float*, float*, float*, long*, float*, bool, int, int, int, long)",
     "nll_loss_forward_reduce_cuda_kernel_2d<float,float,long>"},
    {"void at::native::(anonymous namespace)::distribution_nullary_kernel<float, float, 4, "
     "at::CUDAGeneratorImpl*, __nv_dl_wrapper_t<__nv_dl_tag<void (*)(at::TensorIterator&, "
     "at::CUDAGeneratorImpl*), &(void "
     "at::native::templates::cuda::normal_kernel<at::CUDAGeneratorImpl*>(at::Tensor&, double, double, "
     "at::CUDAGeneratorImpl*)), 2u>, float, float> >(int)",
     "distribution_nullary_kernel<float,float,4~8973"},
    {"void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, "
     "long, bool)",
     "vectorized_gather_kernel<16,long>"},
    {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*, "
     "float const*, int, int, int, bool const*, int, bool)",
     "softmax_warp_forward<float,float,float,8,false,false>"},
    {"void <unnamed>::softmax_warp_forward<float, float, float, (int)8, (bool)0, (bool)0>(T2 *, const T1 "
     "*, int, int, int, const bool *, int, bool)",
     "softmax_warp_forward<float,float,float,8,false,false>"},
    {"void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<unsigned long, unsigned int, "
     "int>::Policy800, false, unsigned long, unsigned int, int, int>(int*, int*, int*, int const*, "
     "unsigned long*, unsigned long const*, unsigned int*, unsigned int const*, int, int, int)",
     "DeviceRadixSortOnesweepKernel<DeviceRadixSortPolicy<ulong~4dee"},
    {"void cub::DeviceRadixSortUpsweepKernel<cub::DeviceRadixSortPolicy<double, cub::NullType, "
     "int>::Policy700, (bool)1, (bool)0, double, int>(const T4 *, T5 *, T5, int, int, "
     "cub::GridEvenShare<T5>)",
     "DeviceRadixSortUpsweepKernel<DeviceRadixSortPolicy<double~a01b"},
    {"void "
     "cub::CUB_200200_800_NS::DeviceReduceSingleTileKernel<cub::CUB_200200_800_NS::DeviceReducePolicy<floa"
     "t, int, thrust::plus<float> >::Policy600, float*, float*, int, thrust::plus<float>, float>(int)",
     "DeviceReduceSingleTileKernel<DeviceReducePolicy<float,int~8766"},
    {"void "
     "cub::CUB_300001_SM_900::detail::reduce::DeviceReduceKernel<cub::CUB_300001_SM_900::detail::reduce::p"
     "olicy_hub<float, unsigned int, cuda::std::__4::plus<void> >::Policy1000, float*, unsigned int, "
     "cuda::std::__4::plus<void>, float, cuda::std::__4::identity>(float*)",
     "DeviceReduceKernel<policy_hub<float,uint,plus<void>>~b114"},
    {"void cub::RadixSortScanBinsKernel<cub::DeviceRadixSortPolicy<int, cub::NullType, unsigned "
     "int>::Policy800, unsigned int>(cub::NullType*, int)",
     "RadixSortScanBinsKernel<DeviceRadixSortPolicy<int,NullType~e531"},
    {"void "
     "thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cud"
     "a_cub::__uninitialized_fill::functor<thrust::device_ptr<float>, float>, unsigned long>, "
     "thrust::cuda_cub::__uninitialized_fill::functor<thrust::device_ptr<float>, float>, unsigned "
     "long>(thrust::device_ptr<float>, float)",
     "_kernel_agent<ParallelForAgent<functor<device_ptr<float>~4504"},
    {"void "
     "thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cud"
     "a_cub::__fill::functor<thrust::device_ptr<float>, float>, long>, "
     "thrust::cuda_cub::__fill::functor<thrust::device_ptr<float>, float>, "
     "long>(thrust::device_ptr<float>, float)",
     "_kernel_agent<ParallelForAgent<functor<device_ptr<float>~89bc"},
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__scan::ScanAgent<int*, int*, "
     "thrust::plus<int>, int, int, thrust::detail::integral_constant<bool, bool=0>>, int*>(int*)",
     "_kernel_agent<ScanAgent<int_ptr,int_ptr,plus<int>,int,int~bbe9"},
    {"void "
     "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_256x128_16x3_nn_align4>(cutlass_80_tensorop_s1688gemm"
     "_256x128_16x3_nn_align4::Params)",
     "Kernel2<cutlass_80_tensorop_s1688gemm_256x128_16x3_nn_align4>"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(T1::Params)",
     "Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>"},
    {"sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_ke"
     "rnel__5x_cublas",
     "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"},
    {"ampere_sgemm_128x64_tn",
     "ampere_sgemm_128x64_tn"},
    {"ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_relu_f2f_stages_64x6_tn",
     "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_relu_f2f_stages_64x6_tn"},
    {"nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
     "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NNT"},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, false, float, float, "
     "float, true, false, false>(cublasLt::cublasSplitKParams<float>)",
     "splitKreduce_kernel<32,16,int,float,float,float,float,false~e929"},
    {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, "
     "__nv_bfloat16, __nv_bfloat16, float, false, true, true, false, 7, false, cublasGemvParamsEx<int> "
     ">(int)",
     "kernel<int,int,__nv_bfloat16,__nv_bfloat16,__nv_bfloat16~a84b"},
    {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, "
     "Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >, false, true, false, false, true, true, "
     "false, false>(Flash_fwd_params)",
     "flash_fwd_kernel<Flash_fwd_kernel_traits<128,128,64,4,false~acf6"},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, "
     "cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)",
     "fmha_cutlassF_f32_aligned_64x64_rf_sm80"},
    {"triton_red_fused__native_batch_norm_legit_functional_2",
     "triton_red_fused__native_batch_norm_legit_functional_2"},
    {"triton_poi_fused_embedding_dense_backward_25",
     "triton_poi_fused_embedding_dense_backward_25"},
    {"triton_red_fused_convert_element_type_div_exp_prepare_softmax_online_sub_0",
     "triton_red_fused_convert_element_type_div_exp_prepare_softmax_online_sub_0"},
    {"cupy_copy__float32_float32",
     "cupy_copy__float32_float32"},
    {"loop_transpose_fusion.2",
     "loop_transpose_fusion.2"},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"},
    {"void marlin_moe_wna16::Marlin<1125899906909960l, 562949953487106l, 1125899906909960l, "
     "2814749767106568l, 128, 1>(int4 const*)",
     "Marlin<1125899906909960,562949953487106,1125899906909960~aba0"},
    {"void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, true, true, "
     "float>(c10::BFloat16 const*, void*, float*, int, int, int, float, float, float, int, int)",
     "per_token_group_quant_8bit_kernel<BFloat16,Float8_e4m3fn~e5c4"},
    {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*)",
     "rotary_embedding_kernel<BFloat16,true>"},
    {"void gsplat::rasterize_to_pixels_3dgs_fwd_kernel<3u, float>(unsigned int, glm::vec<2, float, "
     "(glm::qualifier)0> const*)",
     "rasterize_to_pixels_3dgs_fwd_kernel<3,float>"},
    {"void RAJA::policy::cuda::impl::forall_cuda_kernel<RAJA::cuda_exec<128>, 1ul, "
     "RAJA::Iterators::numeric_iterator<long, long, long*>, void "
     "rajaperf::apps::ENERGY::runCudaVariantImpl<128ul>(rajaperf::VariantID)::{lambda()#1}::operator()() "
     "const::{lambda(long)#4}, long>(long)",
     "forall_cuda_kernel<cuda_exec<128>,1,numeric_iterator<long~35f2"},
    {"void renderCUDA<3u, 16u>(uint2 const*, unsigned int const*, int, int, float2 const*)",
     "renderCUDA<3,16>"},
    {"copy_coalesced(float const*, float*)",
     "copy_coalesced"},
    {"(anonymous namespace)::bounded(float const*, float*)",
     "bounded"},
    {"void k<-1, (char)45, &(f(float*))>()",
     "k<-1,45,f>"},
    {"void k<'lambda0'(float)>('lambda0'(float))",
     "k<lambda0>"},
    {"void k<decltype(nullptr)>()",
     "k<decltype>"},
    {"void f<int const*, unsigned long long&, (Enum)3, float [4]>()",
     "f<int_ptr,ullong,3,float>"},
};
/* clang-format on */

static void expect_name(const char *whole, const char *name)
{
    OWNED_TEXT found = kernel_short_name(whole);
    cr_expect_str_eq(found, name, "%s is %s, not %s", whole, found, name);
}

static bool is_same(const char *a, const char *b)
{
    OWNED_TEXT left = kernel_short_name(a), *right = kernel_short_name(b);
    const bool same = strcmp(left, right) == 0;
    return same;
}

Test(short_name, names_are_short_and_say_what_it_is)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        expect_name(names[i].whole, names[i].name);
}

Test(short_name, what_is_cut_off_shows_in_the_digits)
{
    cr_expect_not(is_same("void k<thing_of_a_longish_name<1>, another_thing_with_a_longish_name, int>()",
                          "void k<thing_of_a_longish_name<1>, another_thing_with_a_longish_name, long>()"));
    cr_expect_not(is_same("cub::long_enough_to_be_cut<thing_of_a_longish_name, another_thing_with_one>(int)",
                          "cub::long_enough_to_be_cut<thing_of_a_longish_name, another_thing_with_one>(long)"));
}

/* A name that is long enough to be cut. */
#define ARGUMENTS "k<thing_of_a_longish_name<1>, another_thing_with_a_longish_name, int>"

Test(short_name, checkout_architecture_and_demangler_have_no_say)
{
    static const char *const same[][2] = {
        {"void _GLOBAL__N__e8851426_8_small_cu_acc5a52f::" ARGUMENTS "(int)",
         "void _GLOBAL__N__11111111_8_small_cu_22222222::" ARGUMENTS "(int)"},
        {"void _INTERNAL_e8851426_8_small_cu_acc5a52f::" ARGUMENTS "(int)",
         "void _INTERNAL_11111111_8_small_cu_22222222::" ARGUMENTS "(int)"},
        {"void cub::CUB_300001_SM_900::" ARGUMENTS "(int)", "void cub::CUB_300101_SM_800_900::" ARGUMENTS "(int)"},
        {"void cub::CUB_200200_800_NS::" ARGUMENTS "(int)", "void cub::CUB_300001_SM_900::" ARGUMENTS "(int)"},
        {"void thrust::THRUST_200302_800_NS::" ARGUMENTS "()", "void thrust::THRUST_300001_SM_900_NS::" ARGUMENTS "()"},
        {"void " ARGUMENTS "(cuda::std::__4::plus<void> )", "void " ARGUMENTS "(cuda::std::__5::plus<void>)"},
        {"void (anonymous namespace)::" ARGUMENTS "(char *)", "void <unnamed>::" ARGUMENTS "(char*)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(same); i++)
        cr_expect(is_same(same[i][0], same[i][1]), "%s", same[i][0]);
    cr_expect_not(is_same("void cub::CUB_a::" ARGUMENTS "(int)", "void cub::CUB_b::" ARGUMENTS "(int)"));
}

Test(short_name, names_that_look_alike_have_digits_and_others_none)
{
    static const char *const wholes[] = {"void a::scale<int>(int)", "void b::scale<int>(int)",
                                         "void a::scale<long>(int)", "void a::scale<int>(int)", "copy"};
    char *found[ARRAY_SIZE(wholes)];
    kernel_unique_names(wholes, ARRAY_SIZE(wholes), found);
    cr_expect_eq(strlen(found[0]), strlen("scale<int>~0000"), "%s", found[0]);
    cr_expect_eq(strncmp(found[0], "scale<int>~", 11), 0);
    cr_expect_eq(strncmp(found[1], "scale<int>~", 11), 0);
    cr_expect_str_neq(found[0], found[1]);
    cr_expect_str_eq(found[2], "scale<long>");
    cr_expect_str_eq(found[3], found[0]);
    cr_expect_str_eq(found[4], "copy");
    for (size_t i = 0; i < ARRAY_SIZE(wholes); i++)
        free(found[i]);
    kernel_unique_names(NULL, 0, NULL);
}

/* Of a thousand names some share four digits; these get eight. */
Test(short_name, there_are_digits_enough)
{
    enum { COUNT = 3000 };
    char *wholes[COUNT], *found[COUNT];
    size_t longer = 0;
    for (size_t i = 0; i < COUNT; i++)
        wholes[i] = x_sprintf("void n%zu::scale<int>(int)", i);
    kernel_unique_names((const char *const *)wholes, COUNT, found);
    for (size_t i = 0; i < COUNT; i++)
        longer += strlen(found[i]) == strlen("scale<int>~00000000");
    cr_expect(longer > 0 && longer < COUNT / 2, "%zu have eight", longer);
    qsort(found, COUNT, sizeof *found, by_text);
    for (size_t i = 1; i < COUNT; i++)
        cr_expect_str_neq(found[i - 1], found[i]);
    for (size_t i = 0; i < COUNT; i++) {
        free(wholes[i]);
        free(found[i]);
    }
}

static void expect_legal(const char *whole)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    OWNED_TEXT name = kernel_short_name(whole);
    cr_expect(strspn(name, letters) > 0, "%.100s gives %s", whole, name);
    cr_expect_eq(name[strspn(name + 1, "<>,.~-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") + 1],
                 '\0', "%.100s gives %s", whole, name);
    cr_expect_leq(strlen(name), SHORT_NAME_LENGTH_MAX);
}

/* Names that no demangler prints, but that machine code may contain. */
Test(short_name, any_text_gives_a_name)
{
    static const char *const parts[] = {
        "<",        "(", "{", "[", "*", "f<(", "::", "operator", "(anonymous namespace)", "$",
        "\xc3\xa9", ">", ")", "}", "-", "->",  " ",  ",",        "unsigned long "};
    expect_legal("");
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        expect_legal(parts[i]);
        OWNED_TEXT many = x_calloc(5000, strlen(parts[i]) + 1);
        for (size_t k = 0; k < 5000; k++)
            memcpy(many + k * strlen(parts[i]), parts[i], strlen(parts[i]));
        expect_legal(many);
        for (size_t k = 0; k < ARRAY_SIZE(parts); k++) {
            OWNED_TEXT pair = x_sprintf("a%s%sb%s", parts[i], parts[k], parts[i]);
            expect_legal(pair);
        }
    }
}

Test(short_name, a_file_is_called_by_its_name)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        {"build/libmine.so", "libmine"},
        {"libmine.so.1.2.3", "libmine"},
        {"/a.b/app", "app"},
        {"train.py", "train"},
        {"kernel.sm_90.cubin", "kernel.sm_90"},
        {"x/my app (1).exe", "my_app__1_"},
        {".hidden", "_.hidden"},
        {"-k.o", "_-k"},
        {"libx.source.o", "libx.source"},
        {"folder/", "_"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT name = file_short_name(cases[i].path);
        cr_expect_str_eq(name, cases[i].name, "%s is %s", cases[i].path, name);
    }
    OWNED_TEXT name = x_sprintf("%0200d", 7), *cut = file_short_name(name);
    cr_expect_eq(strlen(cut), SHORT_NAME_LENGTH);
}

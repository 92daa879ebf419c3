# Fixed lists: the files, logs and registry values that are read, and the files and values that a plan may remove.

# A star matches one name or a part of it. Content is read only from small text files, never from a kubeconfig or a program.
# A path without a star is also reported if it does not exist.
function Get-CniFileList {
    @(
        'C:\Program Files\containerd\config.toml'
        'C:\k\containerd\containerd_conf.toml'
        'C:\Program Files\containerd\cni\conf\*'
        'C:\Program Files\containerd\cni\bin\*'
        'C:\etc\cni\net.d\*'
        'C:\opt\cni\bin\*'
        'C:\k\cni\config\*'
        'C:\k\cni\*'
        'C:\var\lib\cni\networks\*\*'
        # Antrea, and OVS under it
        'C:\k\antrea\bin\antctl.exe'
        'C:\k\antrea\etc\antrea-agent.conf'
        'C:\k\StartKubelet.ps1'
        'C:\k\antrea\Prepare-AntreaAgent.ps1'
        'C:\antrea\conf\antrea-agent.conf'
        'C:\openvswitch\etc\openvswitch\conf.db'
        'C:\openvswitch\var\run\openvswitch\*.pid'
        # Kube-OVN
        'C:\kube-ovn\etc\kube-ovn.conf'
        'C:\ovn\etc\ovn-controller.conf'
        'C:\ovn\etc\system-id.conf'
        # Flannel
        'C:\etc\kube-flannel\net-conf.json'
        'C:\run\flannel\subnet.env'
        'C:\sourcevip\sourceVip.json'
        'C:\k\sourceVip.json'
        # Calico
        'C:\CalicoWindows\nodename'
        # Azure CNI
        'C:\k\azurecni\netconf\*'
        'C:\k\azurecni\bin\*'
        'C:\k\azure-vnet.json'
        'C:\k\azure-vnet.json.lock'
        'C:\k\azure-vnet-ipam.json'
        'C:\k\azure-vnet-ipam.json.lock'
        'C:\k\azurecns\azure-endpoints.json'
        'C:\k\kubeclusterconfig.json'
        'C:\k\windowsnodereset.log'
        'C:\k\hns.pid'
        # RKE2 has its own folders for the runtime, the configuration and the programs of its plugin
        'C:\var\lib\rancher\rke2\agent\etc\containerd\config.toml*'
        'C:\var\lib\rancher\rke2\agent\etc\cni\*'
        'C:\var\lib\rancher\rke2\agent\etc\cni\net.d\*'
        'C:\var\lib\rancher\rke2\agent\flanneld-net-conf.json*'
        'C:\var\lib\rancher\rke2\bin\*'
        # OVN-Kubernetes hybrid overlay
        'C:\k\kube-proxy.conf'
        'C:\Temp\hns.psm1'
        'C:\Temp\network-conf.ps1'
    )
}

function Get-CniLogList {
    @(
        'C:\var\log\antrea\*.log'
        'C:\var\log\antrea\openvswitch\*.log'
        'C:\antrea\logs\antrea-agent*.log'
        'C:\antrea\logs\antrea-agent*.log.INFO.*'
        'C:\openvswitch\var\log\openvswitch\*.log'
        'C:\kube-ovn\log\*.log'
        'C:\ovn\var\log\*.log'
        'C:\var\log\pods\*flannel*\*\*.log'
        'C:\var\log\pods\*antrea*\*\*.log'
        'C:\var\log\pods\*calico*\*\*.log'
        'C:\var\log\pods\*kube-proxy*\*\*.log'
        'C:\var\log\pods\*azure-cns*\*\*.log'
        'C:\var\log\kubelet\*.log'
        'C:\var\log\kube-proxy\*.log'
        'C:\var\log\hybrid-overlay\*.log'
        'C:\var\log\wicd\*.INFO'
        'C:\k\logs\*\*.log'
        # Names of klog: flanneld.exe.HOST.USER.log.INFO.20260301-101500.4242
        'C:\k\logs\*\*.log.INFO.*'
        'C:\k\*.log'
        'C:\CalicoWindows\logs\*.log'
        'C:\Windows\System32\wincni.log'
    )
}

function Get-CniRegistryList {
    @(
        @{ Path = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'; Name = 'UBR' }
        @{ Path = 'HKLM:\Software\Tigera\Calico'; Name = 'LastBootTime' }
        @{ Path = 'HKLM:\SYSTEM\CurrentControlSet\Services\hns\State'; Name = 'SDNRemoteArpMacAddress' }
        @{ Path = 'HKLM:\SYSTEM\CurrentControlSet\Services\hns\State'; Name = 'HNSControlFlag' }
    )
}

# file.remove: state that a CNI plugin rewrites when it starts. A folder ends with a backslash.
function Get-RemovablePathList {
    @(
        'C:\var\lib\cni\'
        'C:\sourcevip\'
        'C:\k\sourceVip.json'
        'C:\openvswitch\var\run\openvswitch\'
        'C:\openvswitch\etc\openvswitch\conf.db'
        'C:\k\azure-vnet.json'
        'C:\k\azure-vnet.json.lock'
        'C:\k\azure-vnet-ipam.json'
        'C:\k\azure-vnet-ipam.json.lock'
        'C:\k\azure-vnet-ipamv6.json'
        'C:\k\azure-vnet-ipamv6.json.lock'
        'C:\k\azurecns\azure-endpoints.json'
        'C:\Windows\System32\azure-vnet.json'
        'C:\Windows\System32\azure-vnet.json.lock'
        'C:\Windows\System32\azure-vnet-ipam.json'
        'C:\Windows\System32\azure-vnet-ipam.json.lock'
    )
}

# registry.removeValue: without it Calico recreates its network when it starts.
function Get-RemovableRegistryList {
    @{ Path = 'HKLM:\Software\Tigera\Calico'; Name = 'LastBootTime' }
}
